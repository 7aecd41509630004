# Entry point: `snakemake --cores N` runs config/paper.yaml; `--configfile config/demo.yaml` another configuration.


include: "workflow/Snakefile"


rule default:
    default_target: True
    input:
        rules.all.input,
