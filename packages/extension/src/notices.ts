import { randomUUID } from 'node:crypto';
import type { Acknowledgement, NoticeMessage, SessionNotice } from '@fairlead/protocol';
import type { Agent } from './sessions/agent.ts';

/** What a session's watchers are told besides actions and observations. */
export type Notice = SessionNotice;

export interface Notices {
  /** Kept until the gateway has acknowledged it. */
  send(agent: Agent, notice: Notice): void;
}

/** Sends one message; rejects when the connection is lost before it was acknowledged. */
export type Deliver = (message: NoticeMessage) => Promise<Acknowledgement>;

/** Of all sessions together; a gateway that is away for long must not fill the memory. */
const limit = 10_000;

/** Notices in the order they came, each sent again until it is acknowledged. */
export class NoticeQueue implements Notices {
  readonly #log: (line: string) => void;
  #waiting: NoticeMessage[] = [];
  #deliver: Deliver | undefined;
  #isDelivering = false;

  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  send({ sessionId }: Agent, notice: Notice): void {
    if (this.#waiting.length >= limit) {
      this.#log('the gateway has been away for long: a notice is left out');
      return;
    }
    this.#waiting.push({ sessionId, noticeId: randomUUID(), time: new Date().toISOString(), notice });
    void this.#deliverAll();
  }

  /** The gateway is there: what waits is sent, and what comes. */
  attach(deliver: Deliver): void {
    this.#deliver = deliver;
    void this.#deliverAll();
  }

  detach(): void {
    this.#deliver = undefined;
  }

  forget(sessionId: string): void {
    this.#waiting = this.#waiting.filter((message) => message.sessionId !== sessionId);
  }

  async #deliverAll(): Promise<void> {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    try {
      while (this.#deliver !== undefined) {
        const message = this.#waiting[0];
        if (message === undefined) return;
        await this.#deliverOne(this.#deliver, message);
      }
    } finally {
      this.#isDelivering = false;
    }
  }

  async #deliverOne(deliver: Deliver, message: NoticeMessage): Promise<void> {
    try {
      const answer = await deliver(message);
      if (!answer.ok) this.#log(`the gateway does not take a notice: ${answer.detail}`);
      this.#waiting = this.#waiting.filter((waiting) => waiting !== message);
    } catch {
      // The connection went away under it, or the gateway is slow; it is sent again.
      if (this.#deliver === deliver) await new Promise((resolve) => setTimeout(resolve, retryDelayMs));
    }
  }
}

const retryDelayMs = 500;
