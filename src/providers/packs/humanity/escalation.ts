import { DIRECTORY, HELPLINES, type Helpline } from './helplines.ts';
import { VOICES, type Voice } from './voices.ts';

export type Risk = 'low' | 'medium' | 'high';

/** Most services named in one answer: a person in need must not have to choose from a list. */
const MOST_LINES = 2;

/** A locale as far as this pack understands it. */
export interface Place {
  readonly language: string;
  readonly country: string | undefined;
}

/** Reads a locale such as `de-AT` or `pt_BR`; what is unknown is English with no country. */
export function placeOf(locale: string): Place {
  const [language = '', ...rest] = locale.toLowerCase().split(/[-_]/);
  const country = rest.find((part) => /^[a-z]{2}$/.test(part))?.toUpperCase();
  return { language: Object.hasOwn(VOICES, language) ? language : 'en', country: country === 'UK' ? 'GB' : country };
}

export function voiceOf({ language }: Place): Voice {
  return VOICES[language] ?? (VOICES['en'] as Voice);
}

/** The services to name: those of the country, else those that answer in the language. */
export function helplinesFor({ language, country }: Place): readonly Helpline[] {
  const local = HELPLINES.filter((line) => line.country === country);
  if (local.length > 0) return local.slice(0, MOST_LINES);
  if (country !== undefined) return [];
  return HELPLINES.filter(({ languages }) => languages[0] === language).slice(0, MOST_LINES);
}

export function sayHelpline({ name, contact }: Pick<Helpline, 'name' | 'contact'>): string {
  return `${name}: ${contact}`;
}

/** Where somebody can turn who may be in danger, most urgent first. */
export function crisisLines(place: Place): string[] {
  const { emergency, person } = voiceOf(place);
  return [emergency, ...helplinesFor(place).map(sayHelpline), sayHelpline(DIRECTORY), person];
}

/** What to say at each level of risk; a caller that names its locale is told a local service from medium on. */
export function guidance(risk: Risk, locale: string): string[] {
  const place = placeOf(locale === '' ? 'en' : locale);
  const { available, professional } = voiceOf(place);
  if (risk === 'high') return crisisLines(place);
  if (risk === 'low') return [available];
  return [professional, ...(locale === '' ? [] : helplinesFor(place).slice(0, 1).map(sayHelpline))];
}
