import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Metrics of one server and of its process. Each server has its own registry, because one process may run several. */
export interface Metrics {
  readonly contentType: string;
  /** Returns all metrics in the format that Prometheus reads. */
  text(): Promise<string>;
  observeRequest(labels: { method: string; route: string; status: number }, seconds: number): void;
  requestsRunning: Gauge;
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
}

const DURATION_BUCKETS_SECONDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 60];

let processRegistry: Registry | undefined;

/**
 * Returns the metrics of the process. All its servers share them: prom-client observes the event loop and garbage
 * collections until the process ends, so observers of each server would keep stopped servers in memory.
 */
function metricsOfProcess(): Registry {
  if (processRegistry === undefined) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry, prefix: 'quire_' });
  }
  return processRegistry;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const ofProcess = metricsOfProcess();
  const requests = new Counter({
    name: 'quire_http_requests_total',
    help: 'Requests with a response',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'quire_http_request_seconds',
    help: 'Time from the first byte of a request to the last byte of its response',
    labelNames: ['method', 'route'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
  });
  const requestsRunning = new Gauge({
    name: 'quire_http_requests_running',
    help: 'Requests in progress',
    registers: [registry],
  });
  return {
    contentType: registry.contentType,
    text: () => Registry.merge([ofProcess, registry]).metrics(),
    requestsRunning,
    observeRequest({ method, route, status }, seconds) {
      requests.inc({ method, route, status });
      durations.observe({ method, route }, seconds);
    },
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          this.set(await read());
        },
      });
    },
  };
}
