import { Type } from 'typebox';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';

/** The parameters of every page of a repository. */
export const InRepository = { owner: Type.String(), repo: Type.String() };

/** A page at a ref, whose name and a path are the rest of the address. */
export const AtRef = Type.Object({ ...InRepository, kind: Type.String(), '*': Type.String() });

/** The go command may ask for a page with this parameter. */
export const GoQuery = { 'go-get': Type.Optional(Type.String()) };

/** Returns the repository that an address names. The address of a clone is also that of a page. */
export function repositoryOf(params: unknown): RepositoryPath {
  const { owner, repo } = params as { owner: string; repo: string };
  return { owner, name: repo.replace(/\.git$/i, '') };
}

/** Returns the part of an address in which a ref and a path follow each other. */
export function refAddressOf(params: unknown): { readonly kind: string; readonly refAndPath: string } {
  const { kind, '*': refAndPath } = params as { kind: string; '*': string };
  return { kind, refAndPath };
}
