import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignedIn } from '../../../api/access/viewer.ts';
import { isFailure } from '../../../base/core/failure.ts';
import { fieldOf, longTextOf } from '../../../http/pages/forms.ts';
import { localAddress } from '../../../http/pages/local-address.ts';
import { sendPage } from '../../../http/pages/page.ts';
import { signedIn } from '../../forms/form-parts.ts';
import { diffLookOf } from '../../parts/diff/look.ts';
import { conversationPage } from './conversation-page.ts';
import { EDIT_FORM, editPage } from './edit-page.ts';
import { filesPage } from './files-page.ts';
import { problemOfChange } from './problems.ts';
import type { PullTools } from './tools.ts';
import { FORM_NAME, type NamedPull, namedPull, openPull, type PullView } from './view.ts';

const SEE_OTHER = 303;

/** A form of a page of a pull request that was sent. */
export interface Acting {
  readonly viewer: SignedIn;
  readonly named: NamedPull;
  /** path of the page of the pull request */
  readonly page: string;
  /** path and query of the page that had the form */
  readonly back: string;
  /** Returns a field; '' without it. */
  field(name: string): string;
  /** Returns a long text. */
  text(name: string): string;
}

/**
 * Does what a form asks for, and leads to a page. If it cannot be done, shows the page of the form again, with the reason
 * and what was typed.
 *
 * @param work returns the path of the page that follows
 */
export async function acting(
  request: FastifyRequest,
  reply: FastifyReply,
  tools: PullTools,
  work: (form: Acting) => Promise<string>,
): Promise<FastifyReply> {
  const viewer = signedIn(request);
  const named = namedPull(request);
  const page = `/${encodeURIComponent(named.repository.owner)}/${encodeURIComponent(named.repository.name)}/pulls/${encodeURIComponent(named.number)}`;
  const back = backOf(fieldOf(request, 'back'), page);
  try {
    const to = await work({ viewer, named, page, back, ...fields(request) });
    return reply.header('cache-control', 'no-store').redirect(localAddress(to, tools.addresses), SEE_OTHER);
  } catch (error) {
    const problem = problemOfChange(error, reply);
    if (problem === undefined) throw error;
    const fields = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const opened = await openPull(request, reply, tools).catch((missing: unknown) => {
      // Rights on the repository are checked before the number of the pull request.
      throw isFailure(error, 'forbidden') ? error : missing;
    });
    const view = { ...opened, failed: { problem, fields } };
    return sendPage(reply, await pageAgain(view, { page, back }, tools));
  }
}

function fields(request: FastifyRequest): Pick<Acting, 'field' | 'text'> {
  return { field: (name) => fieldOf(request, name), text: (name) => longTextOf(request, name) };
}

/** Accepts only addresses of pages of the same pull request. */
function backOf(sent: string, page: string): string {
  const [path] = sent.split(/[?#]/, 1);
  return path === `${page}/files` ? sent : page;
}

async function pageAgain(view: PullView, { page, back }: Pick<Acting, 'page' | 'back'>, tools: PullTools) {
  const { fields } = view.failed ?? { fields: new URLSearchParams() };
  if (fields.get(FORM_NAME) === EDIT_FORM) return editPage(view);
  if (!back.startsWith(`${page}/files`)) return conversationPage(view, 1, tools);
  const query = Object.fromEntries(new URL(back, 'http://page').searchParams);
  const asked = { look: diffLookOf(query), comment: fields.get('place') ?? '', suggests: false };
  return filesPage(view, asked, tools);
}
