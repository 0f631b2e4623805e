import type { Static } from 'typebox';
import { descriptionOf, given } from '../repositories/creation/options.ts';
import type { WantedGeneration } from './generate.ts';
import type { GenerateRepositoryBody } from './schema.ts';

/**
 * Reads a request for a repository from a template.
 *
 * @throws ForgeError `invalid`
 */
export function generationOf(body: Static<typeof GenerateRepositoryBody>): WantedGeneration {
  return {
    name: body.name,
    owner: body.owner,
    description: descriptionOf(body.description),
    isPrivate: body.private ?? null,
    defaultBranch: given(body.default_branch) ?? null,
    taken: {
      content: body.git_content ?? false,
      topics: body.topics ?? false,
      labels: body.labels ?? false,
    },
  };
}
