/** Headers of every answer, whatever writes it. */
export const COMMON_HEADERS = { 'X-Content-Type-Options': 'nosniff' } as const;
