import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Metrics of one server. Each server has its own registry, because one process may run several. */
export interface Metrics {
  readonly registry: Registry;
  observeRequest(labels: { method: string; route: string; status: number }, seconds: number): void;
  requestsRunning: Gauge;
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
}

const DURATION_BUCKETS_SECONDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 60];

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'quire_' });
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
    registry,
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
