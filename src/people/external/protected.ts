/** Whether no one between this server and an address can read requests. */
export function isProtected({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackName(hostname));
}

/** Whether the host of a URL is this machine. */
function isLoopbackName(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
