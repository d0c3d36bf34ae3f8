/** The replicas that run tasks, as seen from one of them. */
export interface Runners {
  readonly id: string;
  /** Whether a replica is gone, and this one may say so. */
  lost(replica: string): Promise<boolean>;
  /** Calls back once when that is so, until the returned function is called. */
  onLost(replica: string, lost: () => void): () => void;
}
