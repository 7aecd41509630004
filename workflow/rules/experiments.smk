# Efficiency, sensitivity and tuning. The ablation needs no rule of its own: its variants are methods.


rule generate:
    input:
        code=code("datasets.synthetic"),
    output:
        f"{RESULTS}/networks/{{dataset}}/generated.arrow",
    log:
        f"{RESULTS}/logs/generate/{{dataset}}.log",
    conda:
        "../envs/harness.yaml"
    params:
        size=lambda wildcards: experiments.generate_arguments(wildcards.dataset),
    shell:
        "python -m datasets generate {params.size:q} --out {output:q} > {log:q} 2>&1"


# A timed fit takes all cores, so that nothing runs beside it; the method is told its own number of threads.
rule timing:
    input:
        network=lambda wildcards: experiments.timed_network(wildcards.dataset),
        code=lambda wildcards: settings.method_code(wildcards.method),
        chosen=lambda wildcards: experiments.chosen_file(
            wildcards.dataset, wildcards.method
        ),
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
        mem_mb=fit_resources.memory_mb,
        runtime=fit_resources.minutes,
        gpu=fit_resources.gpus,
    params:
        folder=subpath(output.record, parent=True),
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


rule sensitivity_fit:
    input:
        network=rules.split.output.train,
        code=lambda wildcards: settings.method_code(wildcards.method),
        chosen=lambda wildcards: experiments.chosen_file(
            wildcards.dataset, wildcards.method
        ),
    output:
        record=f"{RESULTS}/sensitivity/{{dataset}}/{{method}}/{{setting}}/seed-{{seed}}/fit.json",
        embeddings=f"{RESULTS}/sensitivity/{{dataset}}/{{method}}/{{setting}}/seed-{{seed}}/embeddings.npy",
    log:
        f"{RESULTS}/logs/sensitivity/{{dataset}}-{{method}}-{{setting}}-{{seed}}.log",
    benchmark:
        f"{RESULTS}/costs/sensitivity/{{dataset}}-{{method}}-{{setting}}-{{seed}}.tsv"
    conda:
        "../envs/harness.yaml"
    threads: lambda wildcards: settings.threads_of(wildcards.method)
    resources:
        mem_mb=fit_resources.memory_mb,
        runtime=fit_resources.minutes,
        gpu=fit_resources.gpus,
    params:
        folder=subpath(output.record, parent=True),
        settings=lambda wildcards: experiments.sensitivity_arguments(
            wildcards.method, wildcards.setting
        ),
        chosen=lambda wildcards, input: [
            part for file in input.chosen for part in ("--settings", file)
        ],
        threads=lambda wildcards: settings.threads_that_matter(wildcards.method),
        device=settings.values["device"],
        limits=settings.limit_arguments,
    shell:
        "python -m methods fit {wildcards.method} --network {input.network:q} --out {params.folder:q}"
        " --seed {wildcards.seed} --threads {threads} {params.chosen:q} {params.settings:q}"
        " --device {params.device:q} {params.limits:q} > {log:q} 2>&1"


rule sensitivity:
    input:
        network=rules.prepare.output.network,
        split=rules.split.output.split,
        examples=expand(
            rules.examples.output,
            draw=settings.draws,
            block="test",
            allow_missing=True,
        ),
        record=rules.sensitivity_fit.output.record,
        embeddings=rules.sensitivity_fit.output.embeddings,
        code=code("evaluation.link_prediction_command"),
    output:
        f"{RESULTS}/sensitivity/{{dataset}}/{{method}}/{{setting}}/seed-{{seed}}.csv",
    log:
        f"{RESULTS}/logs/sensitivity/{{dataset}}-{{method}}-{{setting}}-{{seed}}-evaluation.log",
    benchmark:
        f"{RESULTS}/costs/sensitivity/{{dataset}}-{{method}}-{{setting}}-{{seed}}-evaluation.tsv"
    conda:
        "../envs/harness.yaml"
    params:
        fit=subpath(input.record, parent=True),
        protocol=settings.protocols[0],
        classifier=settings.classifier_arguments,
    shell:
        "python -m evaluation link-prediction --network {input.network:q} --split {input.split:q}"
        " --examples {input.examples:q} --fit {params.fit:q} --dataset {wildcards.dataset} --method {wildcards.method}"
        " --seed {wildcards.seed} --protocols {params.protocol} {params.classifier:q}"
        " --threads {threads} --out {output:q} > {log:q} 2>&1"


# Tuning sees the network without the test block: it fits on the edges before the validation block and predicts that one.
rule trial_fit:
    input:
        network=rules.split.output.tuning,
        code=lambda wildcards: settings.method_code(wildcards.method),
    output:
        record=f"{RESULTS}/tuning/{{dataset}}/{{method}}/trial-{{trial}}/fit.json",
        embeddings=f"{RESULTS}/tuning/{{dataset}}/{{method}}/trial-{{trial}}/embeddings.npy",
    log:
        f"{RESULTS}/logs/tuning/{{dataset}}-{{method}}-{{trial}}.log",
    benchmark:
        f"{RESULTS}/costs/tuning/{{dataset}}-{{method}}-{{trial}}.tsv"
    conda:
        "../envs/harness.yaml"
    threads: lambda wildcards: settings.threads_of(wildcards.method)
    resources:
        mem_mb=fit_resources.memory_mb,
        runtime=fit_resources.minutes,
        gpu=fit_resources.gpus,
    params:
        folder=subpath(output.record, parent=True),
        settings=lambda wildcards: experiments.trial_arguments(
            wildcards.method, wildcards.trial
        ),
        seed=settings.seeds[0],
        threads=lambda wildcards: settings.threads_that_matter(wildcards.method),
        device=settings.values["device"],
        limits=settings.limit_arguments,
    shell:
        "python -m methods fit {wildcards.method} --network {input.network:q} --out {params.folder:q}"
        " --seed {params.seed} --threads {threads} {params.settings:q}"
        " --device {params.device:q} {params.limits:q} > {log:q} 2>&1"


rule trial:
    input:
        network=rules.prepare.output.network,
        split=rules.split.output.split,
        examples=f"{RESULTS}/examples/{{dataset}}/validation/draw-1.arrow",
        record=rules.trial_fit.output.record,
        embeddings=rules.trial_fit.output.embeddings,
        code=code("evaluation.link_prediction_command"),
    output:
        f"{RESULTS}/tuning/{{dataset}}/{{method}}/trial-{{trial}}.csv",
    log:
        f"{RESULTS}/logs/tuning/{{dataset}}-{{method}}-{{trial}}-evaluation.log",
    benchmark:
        f"{RESULTS}/costs/tuning/{{dataset}}-{{method}}-{{trial}}-evaluation.tsv"
    conda:
        "../envs/harness.yaml"
    params:
        fit=subpath(input.record, parent=True),
        protocol=settings.protocols[0],
        classifier=settings.classifier_arguments,
    shell:
        "python -m evaluation link-prediction --network {input.network:q} --split {input.split:q}"
        " --examples {input.examples:q} --fit {params.fit:q} --dataset {wildcards.dataset} --method {wildcards.method}"
        " --protocols {params.protocol} {params.classifier:q}"
        " --threads {threads} --out {output:q} > {log:q} 2>&1"


rule choose:
    input:
        trials=lambda wildcards: experiments.trial_files(
            wildcards.dataset, wildcards.method
        ),
        code=code("evaluation.tuning"),
    output:
        f"{RESULTS}/tuning/{{dataset}}/{{method}}/chosen.json",
    log:
        f"{RESULTS}/logs/tuning/{{dataset}}-{{method}}-choice.log",
    localrule: True
    conda:
        "../envs/harness.yaml"
    shell:
        "python -m evaluation choose --trials {input.trials:q} --out {output:q} > {log:q} 2>&1"
