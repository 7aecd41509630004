# One fit per network, method, settings and seed. A fit that fails is data: its cells are marked and the run goes on.


rule fit:
    input:
        network=lambda wildcards: settings.edges_file(
            wildcards.dataset, wildcards.edges
        ),
        chosen=experiments.chosen_files,
    output:
        record=f"{RESULTS}/fits/{{dataset}}/{{edges}}/{{method}}/{{settings}}seed-{{seed}}/fit.json",
        embeddings=f"{RESULTS}/fits/{{dataset}}/{{edges}}/{{method}}/{{settings}}seed-{{seed}}/embeddings.npy",
    log:
        f"{RESULTS}/logs/fit/{{dataset}}/{{edges}}/{{method}}/{{settings}}seed-{{seed}}.log",
    benchmark:
        f"{RESULTS}/costs/fit/{{dataset}}/{{edges}}/{{method}}/{{settings}}seed-{{seed}}.tsv"
    priority:
        step_resources.turn_of(
            f"{RESULTS}/fits/{{dataset}}/{{edges}}/{{method}}/{{settings}}seed-{{seed}}/fit.json"
        )
    conda:
        "../envs/harness.yaml"
    threads: lambda wildcards: settings.threads_of(wildcards.method)
    resources:
        mem_mb=step_resources.memory_of("fit"),
        runtime=step_resources.minutes_of("fit"),
        gpu=step_resources.gpus,
    params:
        code=lambda wildcards: settings.method_state(wildcards.method),
        folder=subpath(output.record, parent=True),
        killed=times_killed(
            f"{RESULTS}/fits/{{dataset}}/{{edges}}/{{method}}/{{settings}}seed-{{seed}}"
        ),
        chosen=lambda wildcards, input: [
            part for file in input.chosen for part in ("--settings", file)
        ],
        settings=lambda wildcards: experiments.fit_arguments(
            wildcards.method, wildcards.settings
        ),
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
        examples=f"{RESULTS}/examples/{{dataset}}/{{block}}/draw-{{draw}}.arrow",
    output:
        record=f"{RESULTS}/scores/{{dataset}}/{{block}}/{{method}}/seed-{{seed}}/draw-{{draw}}/score.json",
        scores=f"{RESULTS}/scores/{{dataset}}/{{block}}/{{method}}/seed-{{seed}}/draw-{{draw}}/scores.npy",
    log:
        f"{RESULTS}/logs/score/{{dataset}}/{{block}}/{{method}}-{{seed}}-{{draw}}.log",
    benchmark:
        f"{RESULTS}/costs/score/{{dataset}}/{{block}}/{{method}}-{{seed}}-{{draw}}.tsv"
    wildcard_constraints:
        block=r"test|ranking",
    priority:
        step_resources.turn_of(
            f"{RESULTS}/scores/{{dataset}}/{{block}}/{{method}}/seed-{{seed}}/draw-{{draw}}/score.json"
        )
    conda:
        "../envs/harness.yaml"
    threads: lambda wildcards: settings.threads_of(wildcards.method)
    resources:
        mem_mb=step_resources.memory_of("score"),
        runtime=step_resources.minutes_of("score"),
        gpu=step_resources.gpus,
    params:
        code=lambda wildcards: settings.method_state(wildcards.method),
        folder=subpath(output.record, parent=True),
        killed=times_killed(
            f"{RESULTS}/scores/{{dataset}}/{{block}}/{{method}}/seed-{{seed}}/draw-{{draw}}"
        ),
        settings=lambda wildcards: settings.fit_arguments(wildcards.method),
        threads=lambda wildcards: settings.threads_that_matter(wildcards.method),
        device=settings.values["device"],
        limits=settings.limit_arguments,
    shell:
        "python -m methods score {wildcards.method} --network {input.network:q} --examples {input.examples:q}"
        " --out {params.folder:q} --seed {wildcards.seed} --threads {threads} {params.settings:q}"
        " --device {params.device:q} {params.limits:q} > {log:q} 2>&1"
