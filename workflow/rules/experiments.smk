# Timed fits, and the choice of tuning. Ablation, sensitivity and trials need no rules: they are fits and evaluations.


rule generate:
    output:
        f"{RESULTS}/networks/{{dataset}}/generated.arrow",
    log:
        f"{RESULTS}/logs/generate/{{dataset}}.log",
    conda:
        "../envs/harness.yaml"
    resources:
        mem_mb=step_resources.memory_of("generate"),
    params:
        code=module_state("networks.synthetic"),
        size=lambda wildcards: experiments.generate_arguments(wildcards.dataset),
    shell:
        "python -m networks generate {params.size:q} --out {output:q} > {log:q} 2>&1"


# A timed fit takes all cores, so that nothing runs beside it; the method is told its own number of threads.
rule timing:
    input:
        network=lambda wildcards: experiments.timed_network(wildcards.dataset),
        chosen=experiments.chosen_files,
    output:
        record=f"{RESULTS}/timings/{{dataset}}/{{method}}/fit.json",
        embeddings=temp(f"{RESULTS}/timings/{{dataset}}/{{method}}/embeddings.npy"),
    log:
        f"{RESULTS}/logs/timing/{{dataset}}-{{method}}.log",
    benchmark:
        f"{RESULTS}/costs/timing/{{dataset}}-{{method}}.tsv"
    conda:
        "../envs/harness.yaml"
    threads: lambda wildcards: workflow.cores
    resources:
        mem_mb=step_resources.memory_of("timing"),
        runtime=step_resources.minutes_of("timing"),
        gpu=step_resources.gpus,
    params:
        code=lambda wildcards: settings.method_state(wildcards.method),
        folder=subpath(output.record, parent=True),
        killed=times_killed(f"{RESULTS}/timings/{{dataset}}/{{method}}"),
        threads=lambda wildcards: settings.threads_of(wildcards.method),
        chosen=lambda wildcards, input: [
            part for file in input.chosen for part in ("--settings", file)
        ],
        settings=lambda wildcards: experiments.timing_arguments(wildcards.method),
        device=settings.values["device"],
        limits=settings.limit_arguments,
    shell:
        "python -m methods fit {wildcards.method} --network {input.network:q} --out {params.folder:q} --seed 1"
        " --threads {params.threads} {params.chosen:q} {params.settings:q} --device {params.device:q} {params.limits:q}"
        " > {log:q} 2>&1"


rule choose:
    input:
        trials=lambda wildcards: experiments.trial_files(
            wildcards.dataset, wildcards.method
        ),
        fits=lambda wildcards: experiments.trial_records(
            wildcards.dataset, wildcards.method
        ),
    output:
        # Not deleted before a rerun: written anew only if the choice is another one, so that fits stay as they are.
        choice=update(f"{RESULTS}/tuning/{{dataset}}/{{method}}/chosen.json"),
        scores=f"{RESULTS}/tuning/{{dataset}}/{{method}}/scores.json",
    log:
        f"{RESULTS}/logs/tuning/{{dataset}}-{{method}}.log",
    priority: step_resources.turn_of(f"{RESULTS}/tuning/{{dataset}}/{{method}}/chosen.json")
    localrule: True
    conda:
        "../envs/harness.yaml"
    resources:
        mem_mb=step_resources.memory_of("choose"),
    params:
        code=module_state("evaluation.report.tables.tuning"),
    shell:
        "python -m evaluation choose --trials {input.trials:q} --fits {input.fits:q}"
        " --choice {output.choice:q} --scores {output.scores:q} > {log:q} 2>&1"
