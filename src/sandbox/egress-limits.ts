export interface EgressLimits {
  /** Longest time a request may take, redirects included. */
  readonly deadlineMs: number;
  /** Most redirects followed. */
  readonly redirects: number;
  readonly requestBytes: number;
  /** Most bytes of a response's body kept, after decompression; what follows is not read. */
  readonly responseBytes: number;
  readonly headerBytes: number;
}

export const EGRESS_LIMITS: EgressLimits = {
  deadlineMs: 30_000,
  redirects: 5,
  requestBytes: 1024 * 1024,
  responseBytes: 1024 * 1024,
  headerBytes: 16 * 1024,
};

export interface EgressResponse {
  /** Where it came from, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly reason: string;
  /** Names as they came, in order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** The body was longer than what is kept. */
  readonly truncated: boolean;
}
