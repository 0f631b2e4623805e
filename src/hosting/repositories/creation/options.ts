import type { Static } from 'typebox';
import { ForgeError, invalid } from '../../../base/core/failure.ts';
import { isStorableText } from '../../../base/core/text/text.ts';
import type { ObjectFormat } from '../../../git/format/model.ts';
import {
  type CollaborationLevel,
  DEFAULT_BRANCH,
  type NewRepository,
  type Start,
  type TrustModel,
} from '../model.ts';
import type { CreateRepositoryBody } from '../schema.ts';

/** An error message repeats at most this many characters of an unknown name. */
const NAME_CHARS_REPEATED = 100;

/**
 * Reads a request for a new repository and fills in the defaults.
 *
 * @throws ForgeError `invalid`, `bad_request` for an unknown README template
 */
export function newRepositoryOf(body: Static<typeof CreateRepositoryBody>): {
  wanted: NewRepository;
  start: Start;
} {
  const wanted = {
    name: body.name,
    description: descriptionOf(body.description),
    isPrivate: body.private ?? null,
    isTemplate: body.template ?? false,
    defaultBranch: given(body.default_branch) ?? DEFAULT_BRANCH,
    objectFormat: objectFormatOf(body.object_format_name),
    trustModel: trustModelOf(body.trust_model),
  };
  return { wanted, start: startOf(body) };
}

/** Ignores the names of templates without a first commit, which would hold their files. */
function startOf(body: Static<typeof CreateRepositoryBody>): Start {
  const labelSet = body.issue_labels ?? '';
  if (body.auto_init !== true) return { firstCommit: null, labelSet };
  const readme = given(body.readme) ?? 'Default';
  if (readme !== 'Default') {
    const what = `unknown readme: ${readme.slice(0, NAME_CHARS_REPEATED)} (there is only Default)`;
    throw new ForgeError({ kind: 'bad_request', what });
  }
  return { firstCommit: { gitignores: body.gitignores ?? '', license: body.license ?? '' }, labelSet };
}

/** @throws ForgeError `invalid` */
export function descriptionOf(sent: string | undefined): string {
  const description = sent ?? '';
  if (!isStorableText(description)) throw invalid('[Description]: must be text without NUL');
  return description;
}

/** Treats an empty text as absent. */
export function given(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function objectFormatOf(name: string | undefined): ObjectFormat {
  if (name === undefined || name === '' || name === 'sha1') return 'sha1';
  if (name === 'sha256') return 'sha256';
  throw invalid(`[ObjectFormatName]: In(sha1,sha256)`);
}

const TRUST_MODELS: readonly TrustModel[] = ['default', 'collaborator', 'committer', 'collaboratorcommitter'];

function trustModelOf(name: string | undefined): TrustModel {
  return TRUST_MODELS.find((model) => model === name?.toLowerCase()) ?? 'default';
}

/** @throws ForgeError `invalid` for anything except the three levels that a collaborator can have */
export function collaborationLevelOf(permission: string | undefined): CollaborationLevel {
  if (permission === undefined || permission === '') return 'write';
  if (permission === 'read' || permission === 'write' || permission === 'admin') return permission;
  throw invalid('[Permission]: In(read,write,admin)');
}
