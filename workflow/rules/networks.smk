# From a source to a stored network, split by time.


rule fetch:
    output:
        # Not deleted before a rerun: a file that is there is checked, and a source may have another one by now.
        update(f"{settings.downloads}/{{dataset}}/{{file}}"),
    log:
        f"{RESULTS}/logs/fetch/{{dataset}}-{{file}}.log",
    retries: 1
    conda:
        "../envs/harness.yaml"
    params:
        places=settings.fetch_arguments,
    shell:
        "python -m networks fetch {wildcards.dataset} {params.places:q} > {log:q} 2>&1"


rule prepare:
    input:
        fetched=lambda wildcards: settings.fetched_files(wildcards.dataset),
        own=lambda wildcards: settings.own_files(wildcards.dataset),
    output:
        network=f"{RESULTS}/networks/{{dataset}}/network.arrow",
        audit=f"{RESULTS}/networks/{{dataset}}/audit.json",
    log:
        f"{RESULTS}/logs/prepare/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/costs/prepare/{{dataset}}.tsv"
    priority: step_resources.turn_of(f"{RESULTS}/networks/{{dataset}}/network.arrow")
    conda:
        "../envs/harness.yaml"
    resources:
        mem_mb=step_resources.memory_of("prepare"),
    params:
        code=module_state("networks.prepare"),
        source=lambda wildcards: settings.prepare_arguments(wildcards.dataset),
        catalog_entry=lambda wildcards: settings.catalog_entry(wildcards.dataset),
        folder=subpath(output.network, parent=True),
    shell:
        "python -m networks prepare {params.source:q} --out {params.folder:q} > {log:q} 2>&1"


rule split:
    input:
        network=rules.prepare.output.network,
    output:
        train=f"{RESULTS}/networks/{{dataset}}/train.arrow",
        tuning=f"{RESULTS}/networks/{{dataset}}/tuning.arrow",
        split=f"{RESULTS}/networks/{{dataset}}/split.json",
    log:
        f"{RESULTS}/logs/split/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/costs/split/{{dataset}}.tsv"
    priority: step_resources.turn_of(f"{RESULTS}/networks/{{dataset}}/split.json")
    conda:
        "../envs/harness.yaml"
    resources:
        mem_mb=step_resources.memory_of("split"),
    params:
        code=module_state("networks.split"),
        fractions=settings.split_arguments,
        folder=subpath(output.split, parent=True),
    shell:
        "python -m networks split --network {input.network:q} --out {params.folder:q} {params.fractions:q} > {log:q} 2>&1"
