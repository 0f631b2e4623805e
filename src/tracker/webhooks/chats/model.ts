import type { EventName } from '../event-names.ts';
import type { Message } from './message.ts';

/** What a renderer of a chat needs besides the message. */
export interface ChatSettings {
  /** further fields of the webhook */
  readonly config: Readonly<Record<string, string>>;
  /** '': none */
  readonly secret: string;
  /** seconds */
  readonly now: number;
}

/** The JSON object that a chat gets; undefined: it has no form for this event, and nothing is delivered. */
export type ChatBody = Readonly<Record<string, unknown>> | undefined;

/** @param payload the JSON object that a webhook for programs sends */
export type ChatRenderer = (
  message: Message,
  settings: ChatSettings,
  event: { readonly name: EventName; readonly payload: Readonly<Record<string, unknown>> },
) => ChatBody;
