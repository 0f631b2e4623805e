/** One request, as it is sent again and again. */
export interface LoadRequest {
  readonly method: string;
  /** with its query */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What every answer has to be like; one that is not ends the run. */
export interface Expected {
  readonly status: number;
  /** of the body, hex; null where each answer has a body of its own */
  readonly sha256: string | null;
  /** length of the body, both included */
  readonly bytes: { readonly min: number; readonly max: number };
}

/** What the generator is asked to do. */
export interface LoadJob {
  readonly host: string;
  readonly port: number;
  /** One connection each. Its requests are sent one after the other, each after the answer to the one before. */
  readonly lanes: readonly (readonly LoadRequest[])[];
  /** How long each lane starts over when it is through; null: once through and no more. */
  readonly repeatForMs: number | null;
  readonly expected: Expected;
}

export type LoadOutcome =
  | { readonly kind: 'done'; readonly latenciesMs: readonly number[]; readonly elapsedMs: number }
  | { readonly kind: 'failed'; readonly why: string };
