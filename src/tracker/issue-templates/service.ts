import { setImmediate as giveOthersATurn } from 'node:timers/promises';
import type { Viewer } from '../../api/access/viewer.ts';
import { SharedWork } from '../../base/core/fairness/shared-work.ts';
import { createSizedCache } from '../../base/core/sized-cache.ts';
import { UnusableFileError } from '../../base/core/text/yaml.ts';
import type { ContentsLocation } from '../../code/contents/model.ts';
import type { ContentsReader } from '../../code/contents/read.ts';
import type { Oid } from '../../git/format/model.ts';
import type { ObjectReader } from '../../git/interface/snapshot.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import { ISSUE_TEMPLATE } from './actions.ts';
import { configOf } from './config.ts';
import { configAmong, isTemplate, listTemplateFiles, readText, type TemplateFile } from './files.ts';
import { ISSUE_TEMPLATE_LIMITS } from './limits.ts';
import { DEFAULT_CONFIG, type IssueConfig, type IssueFiles, type IssueTemplate } from './model.ts';
import { templateOf } from './template.ts';

const NOTHING: IssueFiles = { templates: [], config: DEFAULT_CONFIG, configProblem: '' };

/** Templates and configuration of new issues, from the files of the default branch. */
export class IssueTemplates {
  readonly #reading: ContentsReader;
  readonly #known = createSizedCache<string, IssueFiles>({
    sizeMax: ISSUE_TEMPLATE_LIMITS.issueTemplatesCachedCharsMax,
    sizeOf: (files) => JSON.stringify(files).length,
  });
  readonly #running = new SharedWork<IssueFiles>();

  constructor({ reading }: { reading: ContentsReader }) {
    this.#reading = reading;
  }

  /**
   * Authorizes the request.
   *
   * @returns undefined for a repository without branches
   * @throws ForgeError as `ContentsReader.locate`
   */
  locate(viewer: Viewer, repository: RepositoryPath): Promise<ContentsLocation | undefined> {
    return this.#reading.locate(viewer, repository, '', undefined, ISSUE_TEMPLATE.read);
  }

  /** Reads the files of a commit. Those that cannot be used are left out. */
  async read(location: ContentsLocation | undefined): Promise<IssueFiles> {
    if (location === undefined) return NOTHING;
    const { repository, snapshot, commit } = location;
    const key = `${repository.id} ${commit}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const files = await this.#running.run(key, () => readFiles(snapshot.objects, commit));
    this.#known.set(key, files);
    return files;
  }
}

async function readFiles(objects: ObjectReader, commit: Oid): Promise<IssueFiles> {
  const files = await listTemplateFiles(objects, (await objects.readCommit(commit)).tree);
  const config = configAmong(files);
  const templates = await readTemplates(objects, files.filter(isTemplate));
  return { templates, ...(config === undefined ? NO_CONFIG : await readConfig(objects, config)) };
}

const NO_CONFIG = { config: DEFAULT_CONFIG, configProblem: '' };

async function readTemplates(
  objects: ObjectReader,
  files: readonly TemplateFile[],
): Promise<readonly IssueTemplate[]> {
  const templates: IssueTemplate[] = [];
  let chars = 0;
  for (const file of files.slice(0, ISSUE_TEMPLATE_LIMITS.issueTemplatesMax)) {
    const text = (await readText(objects, file)) ?? '';
    chars += text.length;
    if (chars > ISSUE_TEMPLATE_LIMITS.issueTemplateCharsMax) break;
    const template = unlessUnusable(() => templateOf(file.path, text));
    if (template !== undefined) templates.push(template);
    await giveOthersATurn();
  }
  return templates;
}

function unlessUnusable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnusableFileError) return undefined;
    throw error;
  }
}

async function readConfig(
  objects: ObjectReader,
  file: TemplateFile,
): Promise<{ config: IssueConfig; configProblem: string }> {
  try {
    const text = await readText(objects, file);
    if (text === undefined) throw new UnusableFileError('the file is too large');
    return { config: configOf(text), configProblem: '' };
  } catch (error) {
    if (!(error instanceof UnusableFileError)) throw error;
    return { config: DEFAULT_CONFIG, configProblem: `${file.path}: ${error.message}` };
  }
}
