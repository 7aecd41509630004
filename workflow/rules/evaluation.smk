# The same examples for every method, and the tasks of the paper on them.


rule examples:
    input:
        network=rules.prepare.output.network,
        split=rules.split.output.split,
    output:
        f"{RESULTS}/examples/{{dataset}}/{{block}}/draw-{{draw}}.arrow",
    log:
        f"{RESULTS}/logs/examples/{{dataset}}-{{block}}-{{draw}}.log",
    benchmark:
        f"{RESULTS}/costs/examples/{{dataset}}-{{block}}-{{draw}}.tsv"
    priority: step_resources.turn_of(f"{RESULTS}/examples/{{dataset}}/{{block}}/draw-{{draw}}.arrow")
    conda:
        "../envs/harness.yaml"
    resources:
        mem_mb=step_resources.memory_of("examples"),
    params:
        code=module_state("evaluation.examples.command"),
        negatives=",".join(settings.negatives),
    shell:
        "python -m evaluation examples --network {input.network:q} --split {input.split:q} --block {wildcards.block}"
        " --draw {wildcards.draw} --negatives {params.negatives} --out {output:q} > {log:q} 2>&1"


rule link_prediction:
    input:
        network=rules.prepare.output.network,
        split=rules.split.output.split,
        examples=experiments.example_files,
        vectors=experiments.vectors,
    output:
        f"{RESULTS}/link_prediction/{{dataset}}/{{method}}/{{settings}}seed-{{seed}}.csv",
    log:
        f"{RESULTS}/logs/link_prediction/{{dataset}}/{{method}}/{{settings}}seed-{{seed}}.log",
    benchmark:
        f"{RESULTS}/costs/link_prediction/{{dataset}}/{{method}}/{{settings}}seed-{{seed}}.tsv"
    priority:
        step_resources.turn_of(
            f"{RESULTS}/link_prediction/{{dataset}}/{{method}}/{{settings}}seed-{{seed}}.csv"
        )
    conda:
        "../envs/harness.yaml"
    resources:
        mem_mb=step_resources.memory_of("link_prediction"),
    params:
        code=module_state("evaluation.link_prediction.command"),
        vectors=experiments.vector_arguments,
        protocols=lambda wildcards: ",".join(experiments.protocols(wildcards)),
        classifier=experiments.classifier_arguments,
    shell:
        "python -m evaluation link-prediction --network {input.network:q} --split {input.split:q}"
        " --examples {input.examples:q} {params.vectors:q} --dataset {wildcards.dataset} --method {wildcards.method}"
        " --seed {wildcards.seed} --protocols {params.protocols} {params.classifier:q}"
        " --threads {threads} --out {output:q} > {log:q} 2>&1"


rule queries:
    input:
        network=rules.prepare.output.network,
        split=rules.split.output.split,
    output:
        f"{RESULTS}/examples/{{dataset}}/ranking/draw-{{draw}}.arrow",
    log:
        f"{RESULTS}/logs/queries/{{dataset}}-{{draw}}.log",
    benchmark:
        f"{RESULTS}/costs/queries/{{dataset}}-{{draw}}.tsv"
    priority: step_resources.turn_of(f"{RESULTS}/examples/{{dataset}}/ranking/draw-{{draw}}.arrow")
    conda:
        "../envs/harness.yaml"
    resources:
        mem_mb=step_resources.memory_of("queries"),
    params:
        code=module_state("evaluation.ranking.queries"),
        sizes=settings.ranking_arguments,
    shell:
        "python -m evaluation ranking-queries --network {input.network:q} --split {input.split:q}"
        " --draw {wildcards.draw} {params.sizes:q} --out {output:q} > {log:q} 2>&1"


rule ranking:
    input:
        network=rules.prepare.output.network,
        split=rules.split.output.split,
        queries=experiments.query_files,
        vectors=experiments.ranked_vectors,
    output:
        f"{RESULTS}/ranking/{{dataset}}/{{method}}/seed-{{seed}}.csv",
    log:
        f"{RESULTS}/logs/ranking/{{dataset}}-{{method}}-{{seed}}.log",
    benchmark:
        f"{RESULTS}/costs/ranking/{{dataset}}/{{method}}/seed-{{seed}}.tsv"
    priority: step_resources.turn_of(f"{RESULTS}/ranking/{{dataset}}/{{method}}/seed-{{seed}}.csv")
    conda:
        "../envs/harness.yaml"
    resources:
        mem_mb=step_resources.memory_of("ranking"),
    params:
        code=module_state("evaluation.ranking.command"),
        vectors=experiments.ranked_vector_arguments,
    shell:
        "python -m evaluation ranking --network {input.network:q} --split {input.split:q} --queries {input.queries:q}"
        " {params.vectors:q} --dataset {wildcards.dataset} --method {wildcards.method} --seed {wildcards.seed}"
        " --out {output:q} > {log:q} 2>&1"


rule reconstruction:
    input:
        network=rules.prepare.output.network,
        record=f"{RESULTS}/fits/{{dataset}}/all/{{method}}/seed-{{seed}}/fit.json",
        embeddings=f"{RESULTS}/fits/{{dataset}}/all/{{method}}/seed-{{seed}}/embeddings.npy",
    output:
        f"{RESULTS}/reconstruction/{{dataset}}/{{method}}/seed-{{seed}}.csv",
    log:
        f"{RESULTS}/logs/reconstruction/{{dataset}}-{{method}}-{{seed}}.log",
    benchmark:
        f"{RESULTS}/costs/reconstruction/{{dataset}}/{{method}}/seed-{{seed}}.tsv"
    priority:
        step_resources.turn_of(
            f"{RESULTS}/reconstruction/{{dataset}}/{{method}}/seed-{{seed}}.csv"
        )
    conda:
        "../envs/harness.yaml"
    resources:
        mem_mb=step_resources.memory_of("reconstruction"),
    params:
        code=module_state("evaluation.reconstruction.command"),
        fit=subpath(input.record, parent=True),
        sampling=settings.reconstruction_arguments,
    shell:
        "python -m evaluation reconstruction --network {input.network:q} --fit {params.fit:q}"
        " --dataset {wildcards.dataset} --method {wildcards.method} --seed {wildcards.seed} {params.sampling:q}"
        " --threads {threads} --out {output:q} > {log:q} 2>&1"


rule leakage:
    input:
        network=rules.prepare.output.network,
        split=rules.split.output.split,
        examples=f"{RESULTS}/examples/{{dataset}}/test/draw-1.arrow",
    output:
        report(
            f"{RESULTS}/leakage/{{dataset}}.json",
            caption="../report/leakage.rst",
            category=NETWORKS,
            subcategory="Leakage",
            labels={"Report": "{dataset}"},
        ),
    log:
        f"{RESULTS}/logs/leakage/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/costs/leakage/{{dataset}}.tsv"
    conda:
        "../envs/harness.yaml"
    resources:
        mem_mb=step_resources.memory_of("leakage"),
    params:
        code=module_state("evaluation.link_prediction.leakage"),
    shell:
        "python -m evaluation leakage --network {input.network:q} --split {input.split:q} --examples {input.examples:q}"
        " --out {output:q} > {log:q} 2>&1"
