export type Severity = 'high' | 'medium' | 'low';
export type Level = 'A' | 'AA' | 'AAA';

export interface WcagRule {
  /** Success criterion of WCAG 2.2. */
  readonly criterion: string;
  readonly level: Level;
  readonly severity: Severity;
  /** Words of a description that make the criterion worth a look. */
  readonly keywords?: readonly string[];
  /** What in a piece of HTML breaks it. */
  readonly html?: RegExp;
  readonly issue: string;
  readonly fix: string;
}

// The patterns stop at the next angle bracket, so that no text makes them look twice.
export const WCAG_RULES: readonly WcagRule[] = [
  rule('1.1.1', 'A', 'high', {
    keywords: ['image', 'images', 'photo', 'photos', 'icon', 'icons', 'logo', 'chart', 'charts'],
    html: /<img(?=[\s/>])(?![^<>]*\salt\s*=)[^<>]*>/i,
    issue: 'Images may have no text alternative',
    fix: 'Give every image that means something an alt text, and an empty one to decoration',
  }),
  rule('1.2.2', 'A', 'high', {
    keywords: ['video', 'videos', 'webinar'],
    html: /^(?![\s\S]*<track[\s/>])[\s\S]*<video[\s/>]/i,
    issue: 'Video may have no captions',
    fix: 'Caption all speech and meaningful sound',
  }),
  rule('1.3.1', 'A', 'medium', {
    keywords: ['table', 'tables', 'form', 'forms', 'heading', 'headings'],
    html: /<input(?=[\s/>])(?![^<>]*\s(?:aria-label|aria-labelledby|id|type\s*=\s*["']?(?:hidden|submit|button|image))\b)[^<>]*>/i,
    issue: 'Structure may be visible only to the eye',
    fix: 'Tie labels to fields, mark headings as headings and header cells as header cells',
  }),
  rule('1.4.1', 'A', 'medium', {
    keywords: ['color', 'colors', 'colour', 'colours', 'red', 'green'],
    issue: 'Meaning may hang on colour alone',
    fix: 'Say it in words, shapes or patterns too',
  }),
  rule('1.4.3', 'AA', 'high', {
    keywords: ['contrast', 'color', 'colour', 'grey', 'gray', 'theme', 'dark mode'],
    issue: 'Text may not stand out enough from its background',
    fix: 'Reach a contrast of 4.5:1, and 3:1 for large text',
  }),
  rule('1.4.6', 'AAA', 'medium', {
    keywords: ['contrast', 'color', 'colour', 'grey', 'gray', 'theme', 'dark mode', 'text'],
    issue: 'Text may not reach the enhanced contrast',
    fix: 'Reach a contrast of 7:1, and 4.5:1 for large text',
  }),
  rule('2.1.1', 'A', 'high', {
    keywords: ['drag', 'hover', 'mouse', 'menu', 'menus', 'modal', 'dialog', 'dropdown', 'slider', 'keyboard'],
    html: /<(?:div|span)(?=[\s>])(?![^<>]*\srole\s*=)[^<>]*\sonclick\s*=/i,
    issue: 'Something may need a pointer',
    fix: 'Make everything work from the keyboard, with native controls where there are any',
  }),
  rule('2.2.1', 'A', 'high', {
    keywords: ['timeout', 'timer', 'countdown', 'session', 'expires'],
    html: /<meta(?=[\s])[^<>]*http-equiv\s*=\s*["']?refresh/i,
    issue: 'Time may run out on somebody',
    fix: 'Let people turn a time limit off, or ask for more time with one key',
  }),
  rule('2.3.3', 'AAA', 'medium', {
    keywords: ['animation', 'animations', 'motion', 'parallax', 'carousel'],
    html: /<(?:marquee|blink)(?=[\s>])/i,
    issue: 'Movement starts that nobody asked for',
    fix: 'Honour the reduced-motion setting and let every movement be stopped',
  }),
  rule('2.4.2', 'A', 'medium', {
    html: /^(?![\s\S]*<title[\s>])[\s\S]*<head[\s>]/i,
    issue: 'The page may have no title',
    fix: 'Give every page a title that tells it from the others',
  }),
  rule('2.4.4', 'A', 'medium', {
    keywords: ['link', 'links', 'click here', 'read more'],
    html: /<a(?=[\s>])[^<>]*>\s*(?:click here|here|read more|more)\s*<\/a>/i,
    issue: 'Links may not say where they go',
    fix: 'Let the words of a link make sense without what stands around it',
  }),
  rule('2.5.5', 'AAA', 'low', {
    keywords: ['button', 'buttons', 'touch', 'mobile', 'tap'],
    issue: 'Targets may be too small to hit',
    fix: 'Make targets at least 44 by 44 CSS pixels',
  }),
  rule('3.1.1', 'A', 'medium', {
    keywords: ['language', 'languages', 'multilingual', 'translation'],
    html: /<html(?=[\s>])(?![^<>]*\slang\s*=)[^<>]*>/i,
    issue: 'The language of the page may not be given',
    fix: 'Set the lang attribute, and mark passages in other languages',
  }),
  rule('3.3.2', 'A', 'medium', {
    keywords: ['form', 'forms', 'input', 'inputs', 'field', 'fields', 'checkout', 'signup', 'registration'],
    issue: 'Fields may not say what they want',
    fix: 'Label each field and say the format before, not after, a mistake',
  }),
  rule('3.3.8', 'AA', 'medium', {
    keywords: ['login', 'log in', 'sign in', 'password', 'captcha', 'authentication'],
    issue: 'Signing in may need a test of memory or perception',
    fix: 'Allow password managers and pasting, and offer a way without puzzles',
  }),
  rule('4.1.2', 'A', 'high', {
    keywords: ['custom', 'widget', 'widgets', 'component', 'components', 'tab', 'tabs', 'toggle'],
    html: /<button(?=[\s>])(?![^<>]*\saria-label)[^<>]*>\s*<\/button>/i,
    issue: 'Controls may have no name or role for assistive technology',
    fix: 'Use native elements, or give name, role, state and value',
  }),
];

type Rest = Pick<WcagRule, 'keywords' | 'html' | 'issue' | 'fix'>;

function rule(criterion: string, ...[level, severity, rest]: [Level, Severity, Rest]): WcagRule {
  return { criterion, level, severity, ...rest };
}
