/** What the program uses of highlight.js. */
declare const hljs: {
  getLanguage(name: string): object | undefined;
  highlight(text: string, options: { language: string; ignoreIllegals: boolean }): { value: string };
};
export default hljs;
