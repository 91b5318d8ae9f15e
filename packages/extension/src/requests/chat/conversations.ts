import { z } from 'zod';
import type { Kept } from '../../kept.ts';

const message = z.object({ role: z.enum(['user', 'assistant']), content: z.string(), timestamp: z.number() });
export type ChatMessage = z.infer<typeof message>;

const stored = z.array(z.object({ conversationId: z.string(), messages: z.array(message) }));
type Conversation = z.infer<typeof stored>[number];

const mostConversations = 50;
const mostMessages = 100;
const mostCharacters = 200_000;
/** Of all together: they are written down after each answer. */
const mostStoredCharacters = 1_000_000;

/** What was said with language models in this workspace: the latest conversations, and of each the latest messages. */
export class Conversations {
  readonly #store: Kept;
  #all: Conversation[];

  constructor(store: Kept) {
    this.#store = store;
    const found = stored.safeParse(store.get());
    this.#all = found.success ? found.data : [];
  }

  messages(conversationId: string): ChatMessage[] {
    return this.#all.find((one) => one.conversationId === conversationId)?.messages ?? [];
  }

  /** The latest messages that fit into so many characters, oldest first, beginning with one of the user. */
  latest(conversationId: string, characters: number): ChatMessage[] {
    const kept = fitting(this.messages(conversationId), characters);
    const first = kept.findIndex(({ role }) => role === 'user');
    return first < 0 ? [] : kept.slice(first);
  }

  add(conversationId: string, added: ChatMessage[]): void {
    const messages = fitting(
      [...this.messages(conversationId), ...added].slice(-mostMessages),
      mostCharacters,
    );
    const others = this.#all.filter((one) => one.conversationId !== conversationId);
    this.#all = latestOf([...others, { conversationId, messages }].slice(-mostConversations));
    this.#store.set(this.#all);
  }
}

function latestOf(conversations: Conversation[]): Conversation[] {
  let left = mostStoredCharacters;
  const sizeOf = ({ messages }: Conversation) =>
    messages.reduce((sum, { content }) => sum + content.length, 0);
  const tooMany = conversations.findLastIndex((conversation) => (left -= sizeOf(conversation)) < 0);
  return conversations.slice(tooMany + 1);
}

function fitting(messages: ChatMessage[], characters: number): ChatMessage[] {
  let left = characters;
  const tooLong = messages.findLastIndex(({ content }) => (left -= content.length) < 0);
  return messages.slice(tooLong + 1);
}
