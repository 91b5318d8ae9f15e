/** Who works in this window: the agent of one session, as its owner named it. */
export interface Agent {
  readonly sessionId: string;
  readonly name: string;
  readonly owner: string;
}
