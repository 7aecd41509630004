/* LINE (Tang et al. 2015) as published, in plain C: the peer that our kernel is measured against.
 *
 * Asynchronous stochastic gradient descent: every thread draws an edge from an alias table and negatives from a
 * table of 1e8 entries (P ~ degree^0.75), and updates shared tables without a lock. Nothing is batched or
 * prefetched; the compiler does what -Ofast lets it do.
 */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NOISE_SIZE 100000000
#define SIGMOID_SIZE 1000
#define SIGMOID_BOUND 6.0f
#define MAX_DIMENSIONS 1024

typedef struct {
    long nodes, edges, samples;
    int dimensions, negatives, order, threads;
    const int *source, *target;
    double *probability;
    long *alias;
    int *noise;
    float *sigmoid, *vertex, *context;
    float rate;
    volatile long done;
} Model;

typedef struct {
    Model *model;
    int index;
} Worker;

static double uniform(uint64_t *state) {
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*state >> 11) * (1.0 / 9007199254740992.0);
}

static void build_alias(Model *m, const float *weight) {
    double total = 0;
    long *small = malloc(m->edges * sizeof(long)), *large = malloc(m->edges * sizeof(long));
    long smalls = 0, larges = 0;
    for (long e = 0; e < m->edges; e++) total += weight[e];
    for (long e = 0; e < m->edges; e++) {
        m->probability[e] = weight[e] * m->edges / total;
        m->alias[e] = e;
        if (m->probability[e] < 1) small[smalls++] = e; else large[larges++] = e;
    }
    while (smalls && larges) {
        long s = small[--smalls], l = large[larges - 1];
        m->alias[s] = l;
        m->probability[l] -= 1 - m->probability[s];
        if (m->probability[l] < 1) { larges--; small[smalls++] = l; }
    }
    while (smalls) m->probability[small[--smalls]] = 1;
    while (larges) m->probability[large[--larges]] = 1;
    free(small);
    free(large);
}

static void build_noise(Model *m, const float *weight) {
    double *degree = calloc(m->nodes, sizeof(double)), total = 0, reached = 0;
    for (long e = 0; e < m->edges; e++) { degree[m->source[e]] += weight[e]; degree[m->target[e]] += weight[e]; }
    for (long v = 0; v < m->nodes; v++) total += pow(degree[v], 0.75);
    long v = -1;
    for (long i = 0; i < NOISE_SIZE; i++) {
        while (v + 1 < m->nodes && (double)i / NOISE_SIZE >= reached / total) reached += pow(degree[++v], 0.75);
        m->noise[i] = (int)v;
    }
    free(degree);
}

static float sigmoid(const Model *m, float x) {
    if (x > SIGMOID_BOUND) return 1;
    if (x < -SIGMOID_BOUND) return 0;
    int k = (x + SIGMOID_BOUND) * SIGMOID_SIZE / SIGMOID_BOUND / 2;
    return m->sigmoid[k < SIGMOID_SIZE ? k : SIGMOID_SIZE - 1];
}

static void update(const Model *m, const float *u, float *v, float *error, int label, float rate) {
    float x = 0;
    for (int i = 0; i < m->dimensions; i++) x += u[i] * v[i];
    float g = (label - sigmoid(m, x)) * rate;
    for (int i = 0; i < m->dimensions; i++) error[i] += g * v[i];
    for (int i = 0; i < m->dimensions; i++) v[i] += g * u[i];
}

static void *work(void *argument) {
    Worker *worker = argument;
    Model *m = worker->model;
    float *side = m->order == 1 ? m->vertex : m->context, error[MAX_DIMENSIONS], rate = m->rate;
    uint64_t state = worker->index + 1;
    long share = m->samples / m->threads;
    for (long count = 0; count < share; count++) {
        if (count % 10000 == 0) {
            rate = m->rate * (1 - m->done / (float)(m->samples + 1));
            if (rate < m->rate * 0.0001f) rate = m->rate * 0.0001f;
            m->done += 10000;
        }
        long e = uniform(&state) * m->edges;
        if (uniform(&state) >= m->probability[e]) e = m->alias[e];
        long u = (long)m->source[e] * m->dimensions, v = m->target[e];
        memset(error, 0, m->dimensions * sizeof(float));
        for (int k = 0; k <= m->negatives; k++) {
            long t = k == 0 ? v : m->noise[(long)(uniform(&state) * NOISE_SIZE)];
            update(m, m->vertex + u, side + t * m->dimensions, error, k == 0, rate);
        }
        for (int i = 0; i < m->dimensions; i++) m->vertex[u + i] += error[i];
    }
    return NULL;
}

/* Build the tables; `source`, `target`, `weight` hold every undirected edge in both directions. */
Model *prepare(long nodes, long edges, const int *source, const int *target, const float *weight, int dimensions) {
    Model *m = calloc(1, sizeof(Model));
    m->nodes = nodes; m->edges = edges; m->source = source; m->target = target; m->dimensions = dimensions;
    m->probability = malloc(edges * sizeof(double));
    m->alias = malloc(edges * sizeof(long));
    m->noise = malloc(NOISE_SIZE * sizeof(int));
    m->sigmoid = malloc(SIGMOID_SIZE * sizeof(float));
    if (posix_memalign((void **)&m->vertex, 128, nodes * dimensions * sizeof(float))) return NULL;
    if (posix_memalign((void **)&m->context, 128, nodes * dimensions * sizeof(float))) return NULL;
    build_alias(m, weight);
    build_noise(m, weight);
    for (int k = 0; k < SIGMOID_SIZE; k++)
        m->sigmoid[k] = 1 / (1 + exp(-(2 * SIGMOID_BOUND * k / SIGMOID_SIZE - SIGMOID_BOUND)));
    return m;
}

void train(Model *m, long samples, int order, int negatives, int threads, float rate) {
    uint64_t state = 12345;
    pthread_t *handles = malloc(threads * sizeof(pthread_t));
    Worker *workers = malloc(threads * sizeof(Worker));
    m->samples = samples; m->order = order; m->negatives = negatives; m->threads = threads; m->rate = rate; m->done = 0;
    for (long i = 0; i < m->nodes * m->dimensions; i++) {
        m->vertex[i] = (uniform(&state) - 0.5) / m->dimensions;
        m->context[i] = 0;
    }
    for (int t = 0; t < threads; t++) {
        workers[t] = (Worker){m, t};
        pthread_create(&handles[t], NULL, work, &workers[t]);
    }
    for (int t = 0; t < threads; t++) pthread_join(handles[t], NULL);
    free(handles);
    free(workers);
}

const float *vertices(const Model *m) { return m->vertex; }
