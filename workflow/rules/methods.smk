# One fit per network, method and seed. A fit that fails is data: its cells are marked and the run goes on.


rule fit:
    input:
        network=lambda wildcards: settings.edges_file(
            wildcards.dataset, wildcards.edges
        ),
        code=lambda wildcards: settings.method_code(wildcards.method),
        chosen=lambda wildcards: experiments.chosen_file(
            wildcards.dataset, wildcards.method
        ),
    output:
        record=f"{RESULTS}/fits/{{dataset}}/{{edges}}/{{method}}/seed-{{seed}}/fit.json",
        embeddings=f"{RESULTS}/fits/{{dataset}}/{{edges}}/{{method}}/seed-{{seed}}/embeddings.npy",
    log:
        f"{RESULTS}/logs/fit/{{dataset}}/{{edges}}-{{method}}-{{seed}}.log",
    benchmark:
        f"{RESULTS}/costs/fit/{{dataset}}/{{edges}}-{{method}}-{{seed}}.tsv"
    conda:
        "../envs/harness.yaml"
    threads: lambda wildcards: settings.threads_of(wildcards.method)
    resources:
        mem_mb=fit_resources.memory_mb,
        runtime=fit_resources.minutes,
        gpu=fit_resources.gpus,
    params:
        folder=subpath(output.record, parent=True),
        chosen=lambda wildcards, input: [
            part for file in input.chosen for part in ("--settings", file)
        ],
        settings=lambda wildcards: settings.fit_arguments(wildcards.method),
        threads=lambda wildcards: settings.threads_that_matter(wildcards.method),
        device=settings.values["device"],
        limits=settings.limit_arguments,
    shell:
        "python -m methods fit {wildcards.method} --network {input.network:q} --out {params.folder:q}"
        " --seed {wildcards.seed} --threads {threads} {params.chosen:q} {params.settings:q}"
        " --device {params.device:q} {params.limits:q} > {log:q} 2>&1"


rule score:
    input:
        network=f"{RESULTS}/networks/{{dataset}}/train.arrow",
        examples=f"{RESULTS}/examples/{{dataset}}/test/draw-{{draw}}.arrow",
        code=lambda wildcards: settings.method_code(wildcards.method),
    output:
        record=f"{RESULTS}/scores/{{dataset}}/test/{{method}}/seed-{{seed}}/draw-{{draw}}/score.json",
        scores=f"{RESULTS}/scores/{{dataset}}/test/{{method}}/seed-{{seed}}/draw-{{draw}}/scores.npy",
    log:
        f"{RESULTS}/logs/score/{{dataset}}/{{method}}-{{seed}}-{{draw}}.log",
    benchmark:
        f"{RESULTS}/costs/score/{{dataset}}/{{method}}-{{seed}}-{{draw}}.tsv"
    conda:
        "../envs/harness.yaml"
    threads: lambda wildcards: settings.threads_of(wildcards.method)
    resources:
        mem_mb=fit_resources.memory_mb,
        runtime=fit_resources.minutes,
        gpu=fit_resources.gpus,
    params:
        folder=subpath(output.record, parent=True),
        settings=lambda wildcards: settings.fit_arguments(wildcards.method),
        threads=lambda wildcards: settings.threads_that_matter(wildcards.method),
        device=settings.values["device"],
        limits=settings.limit_arguments,
    shell:
        "python -m methods score {wildcards.method} --network {input.network:q} --examples {input.examples:q}"
        " --out {params.folder:q} --seed {wildcards.seed} --threads {threads} {params.settings:q}"
        " --device {params.device:q} {params.limits:q} > {log:q} 2>&1"
