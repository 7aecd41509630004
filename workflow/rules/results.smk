# Tables, figures, the page, and the record of what made them; `report` says where `snakemake --report` shows them.


rule describe:
    output:
        f"{RESULTS}/run.json",
    log:
        f"{RESULTS}/logs/describe.log",
    localrule: True
    conda:
        "../envs/harness.yaml"
    params:
        run=settings.description(),
    shell:
        "python -m evaluation describe --run {params.run:q} --out {output:q} > {log:q} 2>&1"


rule tables:
    input:
        run=rules.describe.output,
        audits=expand(rules.prepare.output.audit, dataset=settings.dataset_names),
        leakage=expand(rules.leakage.output, dataset=settings.dataset_names),
        link_prediction=settings.link_prediction_files(),
        reconstruction=settings.reconstruction_files(),
        timings=experiments.timing_files(),
        sensitivity=experiments.sensitivity_files(),
        tuning=experiments.tuning_files(),
        paper="evaluation/paper_tables.csv",
        code=code("evaluation.tables_command"),
    output:
        report(
            directory(f"{RESULTS}/tables"),
            patterns=["{table}.csv"],
            caption="../report/table.rst",
            category=lambda wildcards: settings.place_of_table(
                wildcards.table
            ).section,
            subcategory="Tables",
            labels=lambda wildcards: {
                "Table": settings.place_of_table(wildcards.table).title
            },
        ),
    log:
        f"{RESULTS}/logs/tables.log",
    conda:
        "../envs/harness.yaml"
    params:
        folder=subpath(output[0], parent=True),
    shell:
        "python -m evaluation tables --run-folder {params.folder:q} > {log:q} 2>&1"


rule figures:
    input:
        rules.tables.output,
        code=code("evaluation.figures_command"),
    output:
        report(
            directory(f"{RESULTS}/figures"),
            patterns=["{figure}.svg"],
            caption="../report/figure.rst",
            category=lambda wildcards: place_of_figure(wildcards.figure).section,
            subcategory="Figures",
            labels=lambda wildcards: {
                "Figure": place_of_figure(wildcards.figure).title
            },
        ),
    log:
        f"{RESULTS}/logs/figures.log",
    conda:
        "../envs/harness.yaml"
    params:
        folder=subpath(output[0], parent=True),
    shell:
        "python -m evaluation figures --run-folder {params.folder:q} > {log:q} 2>&1"


rule manifest:
    input:
        rules.tables.output,
        rules.figures.output,
        code=code("evaluation.manifest"),
    output:
        f"{RESULTS}/manifest.json",
    log:
        f"{RESULTS}/logs/manifest.log",
    conda:
        "../envs/harness.yaml"
    params:
        folder=subpath(output[0], parent=True),
    shell:
        "python -m evaluation manifest --run-folder {params.folder:q} > {log:q} 2>&1"


rule page:
    input:
        rules.tables.output,
        rules.figures.output,
        rules.manifest.output,
        code=code("evaluation.page"),
        template="evaluation/page.html",
    output:
        report(
            f"{RESULTS}/index.html",
            caption="../report/page.rst",
            category="Page of the run",
            labels={"Page": "Everything on one page"},
        ),
    log:
        f"{RESULTS}/logs/page.log",
    conda:
        "../envs/harness.yaml"
    params:
        folder=subpath(output[0], parent=True),
    shell:
        "python -m evaluation page --run-folder {params.folder:q} > {log:q} 2>&1"
