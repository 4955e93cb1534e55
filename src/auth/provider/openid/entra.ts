/** Issuers of Microsoft Entra ID that stand for many tenants. Pure. */

/** Of Entra ID, and its national clouds. */
const HOSTS = new Set([
  'login.microsoftonline.com',
  'login.microsoftonline.us',
  'login.partner.microsoftonline.cn',
  'login.chinacloudapi.cn',
  'login.microsoftonline.de',
  'login.microsoft.com',
  'login.windows.net',
  'sts.windows.net',
]);
/** The last one is the tenant of all personal accounts. */
const TENANTS = new Set(['common', 'organizations', 'consumers', '9188040d-6c67-4c5b-b112-36a304b66dad']);

/** Whether accounts of many organizations have the issuer: each administers its own addresses, also those of others. */
export function hasManyTenants(issuer: string): boolean {
  if (!URL.canParse(issuer)) return false;
  if (/(?:\{|%7b)tenant_?id(?:\}|%7d)/i.test(issuer)) return true;
  const { hostname, pathname } = new URL(issuer);
  const [, tenant = ''] = pathname.toLowerCase().split('/');
  return HOSTS.has(hostname.replace(/\.$/, '')) && TENANTS.has(tenant);
}

/** Issuers whose discovery has a place for the tenant, which the library fills in with the one that the token names. */
const WITH_PLACE = /^https:\/\/login\.microsoftonline\.com\/(common|organizations)\//;

/** Whether the issuer that a discovery names is the one that it was asked of. */
export function isSameIssuer(found: string, issuer: string): boolean {
  const tenants = WITH_PLACE.exec(issuer)?.[1];
  return found === issuer || (tenants !== undefined && found.replace('{tenantid}', tenants) === issuer);
}
