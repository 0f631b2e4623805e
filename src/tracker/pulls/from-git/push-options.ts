/** What the options of a push say about the pull request that it makes or changes. */
export interface ProposalOptions {
  /** '' if absent, as for the next two */
  readonly topic: string;
  readonly title: string;
  readonly description: string;
  /** The new head need not have the former one in its history. */
  readonly isForced: boolean;
}

/** Before a value in base64, which can have several lines. */
const BASE64 = '{base64}';
const BASE64_TEXT = /^(?:[\d+/a-z]{4})*(?:[\d+/a-z]{2}==|[\d+/a-z]{3}=)?$/i;

/** Reads options as `git push -o` sends them: `key=value`, or a key alone. The last one of a key counts. */
export function proposalOptionsOf(options: readonly string[]): ProposalOptions {
  const values = new Map(options.map(split));
  const textOf = (key: string) => decoded(values.get(key) ?? '').trim();
  const forcePush = values.get('force-push');
  return {
    topic: textOf('topic'),
    title: textOf('title'),
    description: textOf('description'),
    isForced: forcePush !== undefined && /^(?:|1|t|true)$/i.test(forcePush),
  };
}

function split(option: string): readonly [key: string, value: string] {
  const at = option.indexOf('=');
  return at === -1 ? [option, ''] : [option.slice(0, at), option.slice(at + 1)];
}

/** Returns a value that is not base64 as it is, as the reference does. */
function decoded(value: string): string {
  if (!value.startsWith(BASE64)) return value;
  const text = value.slice(BASE64.length);
  if (!BASE64_TEXT.test(text)) return value;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'base64'));
  } catch {
    return value;
  }
}
