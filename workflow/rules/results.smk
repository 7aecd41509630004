# Tables, figures, the page, and the record of what made them.

TABLES = f"{RESULTS}/tables/link_prediction.csv"
FIGURES = f"{RESULTS}/figures/captions.json"


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
        code=code("evaluation.tables_command"),
    output:
        TABLES,
    log:
        f"{RESULTS}/logs/tables.log",
    conda:
        "../envs/harness.yaml"
    params:
        folder=subpath(output[0], ancestor=2),
    shell:
        "python -m evaluation tables --run-folder {params.folder:q} > {log:q} 2>&1"


rule figures:
    input:
        TABLES,
        code=code("evaluation.figures_command"),
    output:
        FIGURES,
    log:
        f"{RESULTS}/logs/figures.log",
    conda:
        "../envs/harness.yaml"
    params:
        folder=subpath(output[0], ancestor=2),
    shell:
        "python -m evaluation figures --run-folder {params.folder:q} > {log:q} 2>&1"


rule manifest:
    input:
        TABLES,
        FIGURES,
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
        TABLES,
        FIGURES,
        rules.manifest.output,
        code=code("evaluation.page"),
        template="evaluation/page.html",
    output:
        f"{RESULTS}/index.html",
    log:
        f"{RESULTS}/logs/page.log",
    conda:
        "../envs/harness.yaml"
    params:
        folder=subpath(output[0], parent=True),
    shell:
        "python -m evaluation page --run-folder {params.folder:q} > {log:q} 2>&1"
