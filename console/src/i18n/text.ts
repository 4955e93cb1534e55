/** The texts of the console, by their keys in `en.ts`. */
import polyglot from 'ra-i18n-polyglot';
import raEnglish from 'ra-language-english';
import { useTranslate } from 'ra-core';
import { en } from './en.js';

type Keys<T> = { [K in keyof T & string]: T[K] extends string ? K : `${K}.${Keys<T[K]>}` }[keyof T & string];
type TextKey = Keys<typeof en>;
export type Text = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;

/** A name without the characters that would turn around the rest of a text that it is put into. */
export function withoutDirections(name: string): string {
  return name.replace(/[\u202a-\u202e\u2066-\u2069]/g, '');
}

/** Numbers in texts are written as the language of the browser does. */
function replaceWritten(this: string, pattern: RegExp, valueOf: (found: string, name: string) => unknown): string {
  return this.replace(pattern, (found: string, name: string) => {
    const value = valueOf(found, name);
    return typeof value === 'number' ? value.toLocaleString() : withoutDirections(String(value));
  });
}

export const i18nProvider = polyglot(() => ({ ...raEnglish, ...en }), 'en', [{ locale: 'en', name: 'English' }], {
  replace: replaceWritten,
});

export function useText(): Text {
  return useTranslate() as Text;
}
