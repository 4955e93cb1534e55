/** The texts of the console, by their keys in `en.ts`. */
import polyglot from 'ra-i18n-polyglot';
import raEnglish from 'ra-language-english';
import { useTranslate } from 'ra-core';
import { en } from './en.js';

type Keys<T> = { [K in keyof T & string]: T[K] extends string ? K : `${K}.${Keys<T[K]>}` }[keyof T & string];
type TextKey = Keys<typeof en>;
export type Text = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;

export const i18nProvider = polyglot(() => ({ ...raEnglish, ...en }), 'en');

export function useText(): Text {
  return useTranslate() as Text;
}
