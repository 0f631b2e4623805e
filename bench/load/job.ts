/** One request, sent repeatedly. */
export interface LoadRequest {
  readonly method: string;
  /** with its query */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Requirements for every response. A response that does not meet them ends the run. */
export interface Expected {
  readonly status: number;
  /** of the body, hex; null if each response has a different body */
  readonly sha256: string | null;
  /** length of the body in bytes, inclusive */
  readonly bytes: { readonly min: number; readonly max: number };
}

/** Work for the generator. */
export interface LoadJob {
  readonly host: string;
  readonly port: number;
  /** Requests of one connection each. Every request waits for the response to the previous one. */
  readonly lanes: readonly (readonly LoadRequest[])[];
  /** How long each lane repeats its requests; null: once. */
  readonly repeatForMs: number | null;
  readonly expected: Expected;
}

export type LoadOutcome =
  | { readonly kind: 'done'; readonly latenciesMs: readonly number[]; readonly elapsedMs: number }
  | { readonly kind: 'failed'; readonly why: string };
