import { hash } from 'node:crypto';
import { html } from '../../../base/core/text/html.ts';
import { withVisibleCharacters } from '../../../base/core/text/text.ts';
import type { Mail } from '../../../base/mail/model.ts';
import { wireTime } from '../../../http/time.ts';
import type { StopNotice } from '../store/stop-notices.ts';

const SENDER = 'Quire';
const ID_CHARS = 24;
const WHY =
  'You get this mail because you have changed these webhooks last, or because they are yours. Replies are not read.';
const HOW =
  'Their deliveries have failed for a week. Once you make a webhook active again, it begins with the next event.';

/** A stopped webhook with the name of what it belongs to. */
export interface StoppedHook extends StopNotice {
  /** `owner/name` of a repository, the name of an account, or `this site` */
  readonly place: string;
}

/**
 * Writes the mail to a person about webhooks that have stopped. It shows only the host of a receiver, because the rest of an
 * address may have a token.
 */
export function composeStops(to: string, hooks: readonly StoppedHook[]): Mail {
  const lines = hooks.map(lineOf);
  const subject =
    hooks.length === 1
      ? `A webhook of ${hooks[0]?.place} has stopped`
      : `${hooks.length} webhooks have stopped`;
  return {
    to,
    fromName: SENDER,
    subject,
    text: [lines.map((line) => `- ${line}`).join('\n'), HOW, `-- \n${WHY}`].join('\n\n'),
    html: html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"></head>
<body style="font-family: sans-serif; line-height: 1.5">
<ul>${lines.map((line) => html`<li>${line}</li>\n`)}</ul>
<p>${HOW}</p>
<hr>
<p style="font-size: small">${WHY}</p>
</body>
</html>
`.html,
    // The keys are random, so the id shows nothing of them. It is the same for each attempt.
    messageId: hash(
      'sha256',
      `stops ${to} ${hooks.map(({ key, stoppedAt }) => `${key} ${stoppedAt}`).join(' ')}`,
    ).slice(0, ID_CHARS),
    conversation: null,
    list: null,
    unsubscribeUrl: null,
  };
}

function lineOf({ place, hookId, type, url, lastError, stoppedAt }: StoppedHook): string {
  const about = `webhook ${hookId} of ${place} (${type}) to ${new URL(url).host}`;
  return withVisibleCharacters(`${about}, inactive since ${wireTime(stoppedAt)}: ${lastError}`);
}
