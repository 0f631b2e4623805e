import hljs from './highlight-js.js';

/** Languages of names and of endings that are not the name of a language. */
const BY_NAME = new Map(
  Object.entries({
    makefile: 'makefile',
    dockerfile: 'bash',
    containerfile: 'bash',
    gemfile: 'ruby',
    rakefile: 'ruby',
  }),
);
const BY_ENDING = new Map(
  Object.entries({
    mjs: 'javascript',
    cjs: 'javascript',
    mts: 'typescript',
    cts: 'typescript',
    h: 'c',
    hh: 'cpp',
    svg: 'xml',
    vue: 'xml',
    toml: 'ini',
    conf: 'ini',
    sh: 'bash',
    service: 'ini',
  }),
);

/** Returns the language of a file by its name; undefined for text without rules. */
export function languageOf(name: string): string | undefined {
  const lower = name.toLowerCase();
  const ending = lower.includes('.') ? lower.slice(lower.lastIndexOf('.') + 1) : '';
  const language = BY_NAME.get(lower) ?? BY_ENDING.get(ending) ?? ending;
  return language !== '' && hljs.getLanguage(language) !== undefined ? language : undefined;
}
