import { type Html, html } from '../../base/core/text/html.ts';

/** Returns a topic, which leads to the repositories that have it. */
export function topicLabel(topic: string): Html {
  return html`<a class="label" href="/explore/repos?q=${encodeURIComponent(topic)}&amp;topic=true">${topic}</a> `;
}
