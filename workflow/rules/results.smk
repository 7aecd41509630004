# Tables, figures, the page, and the record of what made them; `report` says where `snakemake --report` shows them.


rule describe:
    output:
        f"{RESULTS}/run.json",
    log:
        f"{RESULTS}/logs/describe.log",
    localrule: True
    conda:
        "../envs/harness.yaml"
    resources:
        mem_mb=step_resources.memory_of("describe"),
    params:
        run=settings.description(experiments.settings_of_main_fits()),
    shell:
        "python -m evaluation describe --run {params.run:q} --out {output:q} > {log:q} 2>&1"


rule tables:
    input:
        run=rules.describe.output,
        audits=expand(rules.prepare.output.audit, dataset=settings.dataset_names),
        leakage=expand(rules.leakage.output, dataset=settings.dataset_names),
        link_prediction=settings.link_prediction_files(),
        ranking=settings.ranking_files(),
        reconstruction=settings.reconstruction_files(),
        timings=experiments.timing_files(),
        sensitivity=experiments.sensitivity_files(),
        tuning=experiments.tuning_files(),
        paper="evaluation/report/paper/paper_tables.csv",
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
    resources:
        mem_mb=step_resources.memory_of("tables"),
    params:
        code=module_state("evaluation.report.tables.all_tables"),
        folder=subpath(output[0], parent=True),
    shell:
        "python -m evaluation tables --run-folder {params.folder:q} > {log:q} 2>&1"


rule figures:
    input:
        rules.tables.output,
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
    resources:
        mem_mb=step_resources.memory_of("figures"),
    params:
        code=module_state("evaluation.report.figures.all_figures"),
        folder=subpath(output[0], parent=True),
    shell:
        "python -m evaluation figures --run-folder {params.folder:q} > {log:q} 2>&1"


rule manifest:
    input:
        rules.tables.output,
        rules.figures.output,
    output:
        f"{RESULTS}/manifest.json",
    log:
        f"{RESULTS}/logs/manifest.log",
    conda:
        "../envs/harness.yaml"
    resources:
        mem_mb=step_resources.memory_of("manifest"),
    params:
        code=module_state("evaluation.report.manifest"),
        folder=subpath(output[0], parent=True),
    shell:
        "python -m evaluation manifest --run-folder {params.folder:q} > {log:q} 2>&1"


rule page:
    input:
        rules.tables.output,
        rules.figures.output,
        rules.manifest.output,
        template="evaluation/report/page/page.html",
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
    resources:
        mem_mb=step_resources.memory_of("page"),
    params:
        code=module_state("evaluation.report.page.page"),
        folder=subpath(output[0], parent=True),
    shell:
        "python -m evaluation page --run-folder {params.folder:q} > {log:q} 2>&1"
