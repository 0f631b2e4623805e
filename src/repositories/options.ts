import type { Static } from 'typebox';
import { ForgeError, invalid } from '../core/failure.ts';
import { isStorableText } from '../core/text.ts';
import type { ObjectFormat } from '../git/model.ts';
import type { CollaborationLevel, NewRepository, TrustModel } from './model.ts';
import type { CreateRepositoryBody } from './schema.ts';

const DEFAULT_BRANCH = 'main';

/**
 * What a body for a new repository asks for, with the defaults filled in.
 *
 * @throws ForgeError `invalid`, `bad_request` for a template that does not exist
 */
export function newRepositoryOf(body: Static<typeof CreateRepositoryBody>): NewRepository {
  const autoInit = body.auto_init ?? false;
  refuseUnknownTemplates(body, autoInit);
  const description = body.description ?? '';
  if (!isStorableText(description)) throw invalid('[Description]: must be text without NUL');
  return {
    name: body.name,
    description,
    isPrivate: body.private ?? null,
    isTemplate: body.template ?? false,
    defaultBranch:
      body.default_branch === undefined || body.default_branch === '' ? DEFAULT_BRANCH : body.default_branch,
    objectFormat: objectFormatOf(body.object_format_name),
    trustModel: trustModelOf(body.trust_model),
    autoInit,
  };
}

/** A template that is asked for and not there stops the whole: a repository without it would surprise. */
function refuseUnknownTemplates(body: Static<typeof CreateRepositoryBody>, autoInit: boolean): void {
  if (isNamed(body.issue_labels)) throw invalid(`unknown label set: ${body.issue_labels}`);
  // Without a first commit there is nothing that the others could go into.
  if (!autoInit) return;
  if (isNamed(body.gitignores)) throw invalid(`unknown gitignore template: ${body.gitignores}`);
  if (isNamed(body.license)) throw invalid(`unknown license: ${body.license}`);
  if (isNamed(body.readme) && body.readme !== 'Default') {
    throw new ForgeError({
      kind: 'bad_request',
      what: `unknown readme: ${body.readme} (there is only Default)`,
    });
  }
}

function isNamed(text: string | undefined): text is string {
  return text !== undefined && text !== '';
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

/** @throws ForgeError `invalid` for anything but the three levels that can be given */
export function collaborationLevelOf(permission: string | undefined): CollaborationLevel {
  if (permission === undefined || permission === '') return 'write';
  if (permission === 'read' || permission === 'write' || permission === 'admin') return permission;
  throw invalid('[Permission]: In(read,write,admin)');
}
