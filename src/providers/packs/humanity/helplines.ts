/** A service a person can reach, and how we know. */
export interface Helpline {
  /** Two-letter country code. */
  readonly country: string;
  /** Languages the replies of this pack know and the service answers in, the first one first. */
  readonly languages: readonly string[];
  readonly name: string;
  readonly contact: string;
  /** Where the service describes itself. */
  readonly source: string;
  /** The day this entry was last compared with what public pages say of the service. */
  readonly reviewed: string;
}

const REVIEWED = '15 Nov 2026';

/** Services by country, the one to name first first. An entry without a source or a review date fails a test. */
export const HELPLINES: readonly Helpline[] = [
  entry('US', ['en', 'es'], ['988 Suicide & Crisis Lifeline', 'call or text 988', 'https://988lifeline.org']),
  entry('GB', ['en'], ['Samaritans', '116 123', 'https://www.samaritans.org']),
  entry('IE', ['en'], ['Samaritans Ireland', '116 123', 'https://www.samaritans.org/ireland']),
  entry('CA', ['en', 'fr'], ['9-8-8 Suicide Crisis Helpline', 'call or text 988', 'https://988.ca']),
  entry('AU', ['en'], ['Lifeline Australia', '13 11 14', 'https://www.lifeline.org.au']),
  entry('NZ', ['en'], ['1737, need to talk?', 'call or text 1737', 'https://1737.org.nz']),
  entry('ES', ['es'], ['Línea 024', '024', 'https://www.sanidad.gob.es/linea024/home.htm']),
  entry('ES', ['es'], ['Teléfono de la Esperanza', '717 003 717', 'https://telefonodelaesperanza.org']),
  entry('FR', ['fr'], ['Numéro national de prévention du suicide', '3114', 'https://3114.fr']),
  entry('CH', ['de', 'fr'], ['Die Dargebotene Hand / La Main Tendue', '143', 'https://www.143.ch']),
  entry('DE', ['de'], ['TelefonSeelsorge', '0800 111 0 111', 'https://www.telefonseelsorge.de']),
  entry('AT', ['de'], ['TelefonSeelsorge Österreich', '142', 'https://www.telefonseelsorge.at']),
  entry('BR', ['pt'], ['CVV', '188', 'https://cvv.org.br']),
  entry('PT', ['pt'], ['Linha Nacional de Prevenção do Suicídio', '1411', 'https://www.sns24.gov.pt']),
  entry('PT', ['pt'], ['SOS Voz Amiga', '213 544 545', 'https://www.sosvozamiga.org']),
  entry('CN', ['zh'], ['全国统一心理援助热线', '12356', 'https://www.nhc.gov.cn']),
  entry('TW', ['zh'], ['安心專線', '1925', 'https://www.mohw.gov.tw']),
  entry('JP', ['ja'], ['よりそいホットライン', '0120-279-338', 'https://www.since2011.net/yorisoi']),
  entry('JP', ['ja'], ['いのちの電話', '0120-783-556', 'https://www.inochinodenwa.org']),
  entry('KR', ['ko'], ['자살예방 상담전화', '109', 'https://www.kfsp.or.kr']),
];

/** Where a service is found when no entry fits. */
export const DIRECTORY: Pick<Helpline, 'name' | 'contact' | 'source' | 'reviewed'> = {
  name: 'Find A Helpline',
  contact: 'https://findahelpline.com',
  source: 'https://findahelpline.com',
  reviewed: REVIEWED,
};

function entry(
  country: string,
  languages: readonly string[],
  [name, contact, source]: readonly [string, string, string],
): Helpline {
  return { country, languages, name, contact, source, reviewed: REVIEWED };
}
