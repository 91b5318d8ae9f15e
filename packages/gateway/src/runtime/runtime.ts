/** What executes a session's actions. */
export interface Runtime {
  /** The observation as JSON text. Rejects with `ConnectionLost` when the answer did not come. */
  execute(action: RuntimeAction): Promise<string>;
  isAlive(timeoutMs: number): Promise<boolean>;
  /** Live output until it is closed or lost: from now on, or from where an earlier watch was lost. */
  watch(listener: RuntimeListener, place: number | undefined): RuntimeWatch;
  close(): Promise<void>;
}

export interface RuntimeAction {
  actionId: string;
  event: Record<string, unknown>;
  /** It may have been handed over before: answer what is known of it, and never begin it. */
  isResumed: boolean;
  signal: AbortSignal;
}

export interface RuntimeListener {
  onOutput(output: { time: string; actionId: string | null; shell: string; data: string }): void;
  /** All output of this action has been told. */
  onObservation(actionId: string): void;
  /** Output was not kept. */
  onGap(): void;
  /** The connection broke; with its place a later watch misses nothing that is still kept. */
  onLost(place: number | undefined): void;
}

export interface RuntimeWatch {
  /** Resolves when nothing that is printed from now on is missed; also when that will never be. */
  readonly opened: Promise<void>;
  close(): void;
}

/** The connection to the runtime broke before the answer. */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost';
  /** False when the runtime cannot have seen the action. */
  readonly mayHaveArrived: boolean;

  constructor(message: string, mayHaveArrived: boolean) {
    super(message);
    this.mayHaveArrived = mayHaveArrived;
  }
}
