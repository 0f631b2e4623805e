/** Returns a long text of a form with the line ends of git: browsers send CR LF. */
export function textOf(sent: string): string {
  return sent.replaceAll('\r\n', '\n');
}
