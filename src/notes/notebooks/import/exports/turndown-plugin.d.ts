declare module '@joplin/turndown-plugin-gfm' {
  import type { Plugin } from 'turndown';

  const plugins: { readonly gfm: Plugin };
  export default plugins;
}
