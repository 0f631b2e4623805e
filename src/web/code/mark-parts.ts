import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { whyNotByCredential } from '../../api/access/guard.ts';
import { reaches } from '../../api/access/levels.ts';
import { isSignedIn } from '../../api/access/viewer.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import type { PermittedRepository } from '../../hosting/repositories/model.ts';
import { STAR, WATCH } from '../../hosting/stars/actions.ts';
import type { Marks } from '../../hosting/stars/marks.ts';
import type { Addresses, App } from '../../http/app.ts';
import { SIGN_IN_PATH } from '../../http/errors/web.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { repositoryPath } from '../addresses.ts';
import { signedIn } from '../forms/form-parts.ts';
import { type IconName, icon } from '../parts/icons.ts';
import { buttonForm } from '../sign-in/button-form.ts';

export interface MarkTools {
  readonly stars: Marks;
  readonly watching: Marks;
  readonly addresses: Addresses;
}

const InRepository = Type.Object({ owner: Type.String(), repo: Type.String() });

/** Registers the forms that star and watch a repository, and that end it. */
export function markForms(app: App, { stars, watching, addresses }: MarkTools): void {
  const starring = { action: STAR.change, isForm: true } as const;
  const watches = { action: WATCH.change, isForm: true } as const;
  const schema = { params: InRepository };
  const change = (marks: Marks, isAdded: boolean) => async (request: FastifyRequest, reply: FastifyReply) => {
    const { owner, repo: name } = request.params as { owner: string; repo: string };
    const viewer = signedIn(request);
    await (isAdded ? marks.add(viewer, { owner, name }) : marks.remove(viewer, { owner, name }));
    return reply.redirect(localAddress(repositoryPath({ owner: { name: owner }, name }), addresses), 303);
  };
  app.post('/:owner/:repo/action/star', { config: starring, schema }, change(stars, true));
  app.post('/:owner/:repo/action/unstar', { config: starring, schema }, change(stars, false));
  app.post('/:owner/:repo/action/watch', { config: watches, schema }, change(watching, true));
  app.post('/:owner/:repo/action/unwatch', { config: watches, schema }, change(watching, false));
}

/** Returns the buttons that watch, star and fork a repository, with the number of those who did. */
export async function markButtons(
  request: FastifyRequest,
  reply: FastifyReply,
  { repository, units }: PermittedRepository,
  { stars, watching, addresses }: MarkTools,
): Promise<Html> {
  const { viewer } = request;
  const path = repositoryPath(repository);
  const link = (to: string, name: IconName, words: string, count: number) =>
    html`<a class="button small" href="${to}">${icon(name)}${words}${countHtml(count)}</a>`;
  const fork = reaches(units.code, 'read')
    ? link(`${path}/fork`, 'branch', 'Fork', repository.forksCount)
    : html``;
  if (!isSignedIn(viewer)) {
    const signIn = `${SIGN_IN_PATH}?redirect_to=${encodeURIComponent(path)}`;
    return html`<div class="acts">${link(signIn, 'star', 'Star', repository.starsCount)}${fork}</div>`;
  }
  const mayMark = [STAR.read, WATCH.read].every((each) => whyNotByCredential(viewer, each) === undefined);
  if (!mayMark) return html`<div class="acts">${fork}</div>`;
  const isStarred = await stars.has(viewer, repository);
  const isWatched = await watching.has(viewer, repository);
  const form = (act: string, name: IconName, words: string, count: number) =>
    buttonForm(
      request,
      reply,
      { action: `${path}/action/${act}`, button: html`${icon(name)}${words}${countHtml(count)}` },
      addresses,
    );
  return html`<div class="acts">${form(isWatched ? 'unwatch' : 'watch', 'eye', isWatched ? 'Unwatch' : 'Watch', repository.watchersCount)}${form(isStarred ? 'unstar' : 'star', 'star', isStarred ? 'Unstar' : 'Star', repository.starsCount)}${fork}</div>`;
}

function countHtml(count: number): Html {
  return count === 0 ? html`` : html` <span class="count">${count.toLocaleString('en-US')}</span>`;
}
