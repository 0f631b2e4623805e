import { isWeb, markdown, markdownOf } from './escapes.ts';
import { COLORS, clip, type Message, plainText } from './message.ts';
import type { ChatBody, ChatSettings } from './model.ts';

/** Characters of the title and the description of an embed. */
const TITLE_CHARS_MAX = 256;
const DESCRIPTION_CHARS_MAX = 4_096;

/**
 * An embed, which mentions no one.
 *
 * @see https://discord.com/developers/docs/resources/webhook#execute-webhook
 */
export function discord(message: Message, { config }: ChatSettings): ChatBody {
  const { headline, lines, text, mood, url, sender } = message;
  const { username, icon_url: picture } = config;
  const description = [...lines.map((line) => markdownOf(line)), markdown(text)].filter(
    (each) => each !== '',
  );
  return {
    ...(username === undefined ? {} : { username }),
    ...(picture === undefined ? {} : { avatar_url: picture }),
    content: '',
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: clip(markdown(plainText(headline)), TITLE_CHARS_MAX),
        description: clip(description.join('\n'), DESCRIPTION_CHARS_MAX),
        ...(isWeb(url) ? { url } : {}),
        color: Number.parseInt(COLORS[mood], 16),
        author: { name: sender.name, url: sender.url, icon_url: sender.picture },
      },
    ],
  };
}
