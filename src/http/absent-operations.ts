/** Groups of operations of the reference that this server lacks on purpose. */
const ABSENT: readonly { readonly paths: RegExp; readonly what: string }[] = [
  {
    paths:
      /^\/api\/v1\/(?:(?:(?:admin|user|orgs\/[^/]+|repos\/[^/]+\/[^/]+)\/)?actions|admin\/runners)(?:\/|$)/,
    what: 'actions',
  },
  { paths: /^\/api\/v1\/(?:user\/)?activitypub(?:\/|$)/, what: 'ActivityPub' },
  { paths: /^\/api\/v1\/packages(?:\/|$)/, what: 'packages' },
];

/**
 * Returns what to say about a path without a route, if the reference has operations there.
 *
 * @param path without the query
 */
export function whyAbsent(path: string): string | undefined {
  const found = ABSENT.find(({ paths }) => paths.test(path));
  return found === undefined ? undefined : `Quire does not have ${found.what}.`;
}
