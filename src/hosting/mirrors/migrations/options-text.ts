import { type FamilyItems, NO_AUTHORS, type Source, type WantedMigration } from '../model.ts';

type Later = 'pulls' | 'releases';

/**
 * The options of a copy, as its row has them in one text. The address, the owner and the name have separate columns.
 */
interface Options {
  readonly largeFiles: { readonly url: string | null } | null;
  readonly description: string;
  readonly isPrivate: boolean | null;
  /** Rows of earlier versions say nothing about pull requests and releases. */
  readonly family: (Omit<FamilyItems, 'authors' | Later> & { readonly [Key in Later]?: boolean }) | null;
  readonly mirror: WantedMigration['mirror'];
  /** Rows of earlier versions say nothing about the wiki. */
  readonly hasWiki?: boolean;
}

export function optionsText(wanted: WantedMigration): string {
  const { source, description, isPrivate, family, mirror, hasWiki } = wanted;
  const { largeFiles } = source;
  const options: Options = {
    largeFiles: largeFiles === null ? null : { url: largeFiles.url?.href ?? null },
    description,
    isPrivate,
    family: family && {
      labels: family.labels,
      milestones: family.milestones,
      issues: family.issues,
      pulls: family.pulls,
      releases: family.releases,
    },
    mirror,
    hasWiki,
  };
  return JSON.stringify(options);
}

export function wantedOf(row: {
  readonly options: string;
  readonly address: string;
  readonly owner_id: number;
  readonly name: string;
  readonly credentials: Source['credentials'];
}): WantedMigration {
  const { largeFiles, family, hasWiki = false, ...others }: Options = JSON.parse(row.options);
  return {
    ...others,
    hasWiki,
    source: {
      url: new URL(row.address),
      credentials: row.credentials,
      largeFiles: largeFiles && { url: largeFiles.url === null ? null : new URL(largeFiles.url) },
    },
    owner: { id: row.owner_id },
    name: row.name,
    family: family && { pulls: false, releases: false, ...family, authors: NO_AUTHORS },
  };
}

export function isMirrorIn(text: string): boolean {
  const { mirror }: Options = JSON.parse(text);
  return mirror !== null;
}
