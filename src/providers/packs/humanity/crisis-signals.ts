/** A way people say that they may not be safe. */
export interface CrisisSignal {
  /** What it is called in answers; the caller's own words are never repeated. */
  readonly name: string;
  /** A pattern over normalised text, matched as whole words unless `anywhere`. */
  readonly pattern: string;
  /** Names the subject without saying who it is about, so a text about it may still be edited. */
  readonly topic?: boolean;
  /** For scripts that put no space between words. */
  readonly anywhere?: boolean;
}

const END = '(?=\\s*(?:$|[.!?,;:…])|\\s+(?:any\\s?more|any\\s+longer|like\\s+this))';
const URGE =
  '(?:want(?:ed|ing)?|wanna|going|gonna|need|plan(?:ning)?|about|ready|try(?:ing)?|tempted|feel\\s+like|thinking\\s+(?:of|about)|thought\\s+(?:of|about)|thoughts\\s+of|urges?)(?:\\s+to)?';
const NEVER = "(?<!(?:don't|dont|do\\s+not|didn't|never|doesn't|wouldn't)\\s+)";

/** English first, then a few unmistakable sentences of each language the replies are written in. */
export const CRISIS_SIGNALS: readonly CrisisSignal[] = [
  {
    name: 'suicide',
    topic: true,
    pattern:
      "(?<!(?:not|isn't|aren't|wasn't|never)\\s+(?:been\\s+|feeling\\s+)?)suicid(?:e|es|al|ally)(?!\\s+(?:squad|prevention|awareness|hotline|door|doors|burn|inside\\s+squeeze))",
  },
  { name: 'thoughts of suicide', pattern: "(?:i'm|i\\s+am|feel|feeling|i've\\s+been|been)\\s+suicidal" },
  {
    name: 'thoughts of killing oneself',
    pattern:
      '(?<!(?:never|not)\\s+)kill(?:ing)?\\s+my\\s?self(?!\\s+(?:laughing|with\\s+laughter|at\\s+the\\s+gym|over\\s+(?:this|the)\\s+\\p{L}+))',
  },
  {
    name: "thoughts of ending one's life",
    pattern:
      '(?:end|ending|take|taking)\\s+my\\s+(?:own\\s+)?life(?!\\s+(?:story|experience|lessons?|savings|work|insurance))',
  },
  { name: 'thoughts of ending it all', pattern: `${URGE}\\s+(?:just\\s+)?end(?:ing)?\\s+it\\s+all` },
  {
    name: 'a wish to die',
    pattern: `${NEVER}(?:want|wanna|wanted|wish|ready|prefer|rather)\\s+(?:to\\s+)?(?:just\\s+)?die(?!\\s+(?:of|from|with)\\s+(?:laughter|laughing|embarrassment|boredom|cringe|shame|happiness))`,
  },
  { name: 'a wish to be dead', pattern: '(?:wish|wished)\\s+(?:that\\s+)?i\\s+(?:was|were)\\s+(?:dead|never\\s+born)' },
  {
    name: 'feeling better off dead',
    pattern: "(?:i'd\\s+be|i\\s+would\\s+be|i'm|i\\s+am|am)?\\s*better\\s+off\\s+dead",
  },
  {
    name: 'feeling that others would be better off',
    pattern:
      "(?:everyone|everybody|they|you|family|world|kids|children)(?:'d|\\s+would|\\s+will|'ll)?\\s+be\\s+better(?:\\s+off)?\\s+(?:without\\s+me|if\\s+i\\s+(?:was|were)\\s+(?:gone|dead))",
  },
  {
    name: 'thoughts of hurting oneself',
    pattern: `(?:${URGE}|thinking)\\s+(?:of\\s+|about\\s+)?(?:hurt|harm|cut|burn)(?:t?ing)?\\s+my\\s?self${END}`,
  },
  { name: 'self-harm', pattern: 'self[\\s-]?(?:harm|harming|harmed|injury|injuring)', topic: true },
  {
    name: 'hurting oneself',
    pattern: "(?:keep|kept|been|started|start|am|i'm)\\s+(?:cutting|hurting|harming|burning)\\s+my\\s?self",
  },
  {
    name: 'hurting oneself on purpose',
    pattern:
      '(?:cut|hurt|burn|burned|burnt|harmed)\\s+my\\s?self\\s+(?:again|on\\s+purpose|deliberately|intentionally|to\\s+(?:feel|cope|punish))',
  },
  {
    name: 'seeing no point in living',
    pattern:
      '(?:no|any|the)\\s+(?:point|reason|use)\\s+(?:in\\s+|to\\s+|of\\s+)?(?:living|live|being\\s+alive|be\\s+alive|staying\\s+alive|stay\\s+alive|going\\s+on|go\\s+on(?!\\s+(?:holiday|vacation|a\\s|the\\s))|carrying\\s+on)',
  },
  {
    name: 'feeling that life is not worth living',
    pattern: "(?:life|living)\\s+(?:isn't|is\\s+not|isnt|not|no\\s+longer)\\s+(?:worth\\s+(?:it|living)|worth\\s+it)",
  },
  {
    name: 'feeling unable to go on',
    pattern: `(?:can't|cant|cannot|can\\s+not)\\s+(?:go|carry)\\s+on(?=\\s*(?:$|[.!?,;:…])|\\s+(?:any\\s?more|any\\s+longer|like\\s+this|living))`,
  },
  {
    name: 'not wanting to live',
    pattern: `(?:don't|dont|do\\s+not|no\\s+longer)\\s+(?:want|wanna|wish)\\s+(?:to\\s+)?(?:be\\s+alive|exist|be\\s+here\\s+(?:any\\s?more|any\\s+longer)|live${END}|wake\\s+up\\s+(?:any\\s?more|again|ever|tomorrow))`,
  },
  {
    name: 'thoughts of killing oneself',
    pattern: `(?:hang|hanging|shoot|shooting|drown|drowning|unalive)\\s+my\\s?self(?!\\s+(?:in\\s+the\\s+foot|out|up|in\\s+work))|${URGE}\\s+(?:off\\s+my\\s?self|overdose)`,
  },
  {
    name: 'thoughts of killing oneself',
    pattern: `${URGE}\\s+jump(?:ing)?\\s+(?:off|from|in\\s+front\\s+of)\\s+(?:a|the|this|my)\\s+(?:bridge|building|roof|balcony|train)`,
  },
  {
    name: 'a wish not to be',
    pattern: `wish\\s+(?:that\\s+)?i\\s+(?:didn't\\s+exist|did\\s+not\\s+exist|could\\s+(?:just\\s+)?(?:disappear${END}|never\\s+wake\\s+up|not\\s+wake\\s+up))|better\\s+if\\s+i\\s+(?:wasn't|weren't|was\\s+not|were\\s+not)\\s+(?:here|alive|around)`,
  },
  {
    name: 'seeing no point in living',
    pattern: 'nothing\\s+(?:left\\s+)?to\\s+live\\s+for|(?:no|lost\\s+(?:the|my|all))\\s+will\\s+to\\s+live',
  },
  {
    name: 'somebody who may kill themselves',
    topic: true,
    pattern:
      '(?:kill|killing)\\s+(?:him|her|them|your)\\s?sel(?:f|ves)(?!\\s+(?:laughing|with\\s+work))|(?:end|ending|take|taking)\\s+(?:his|her|their)\\s+own\\s+(?:life|lives)',
  },
  {
    name: 'an overdose',
    pattern:
      '(?:took|taken|taking|take|swallowed)\\s+(?:an\\s+overdose|all\\s+(?:of\\s+)?(?:my|the|his|her)\\s+(?:pills|tablets|meds|medication))',
  },
  {
    name: 'a farewell note',
    pattern: '(?:wrote|written|writing|left)\\s+(?:a|my)\\s+(?:suicide|goodbye|farewell)\\s+note',
  },
  { name: 'suicide', pattern: 'suicid(?:io|a|arme|arte|arse|arme)', topic: true },
  {
    name: 'a wish to die',
    pattern: '(?:quiero|quisiera|deseo)\\s+(?:morir(?:me)?|matarme)|quitarme\\s+la\\s+vida|no\\s+quiero\\s+vivir',
  },
  {
    name: 'a wish to die',
    pattern:
      '(?:envie|veux|voudrais)\\s+(?:de\\s+)?(?:mourir|me\\s+tuer|en\\s+finir\\s+avec\\s+la\\s+vie)|me\\s+suicider|plus\\s+envie\\s+de\\s+vivre',
  },
  {
    name: 'a wish to die',
    pattern:
      '(?:mich|mir)\\s+(?:umbringen|das\\s+leben\\s+nehmen)|(?:will|möchte|wollte)\\s+(?:nur\\s+noch\\s+)?sterben|nicht\\s+mehr\\s+leben',
  },
  { name: 'suicide', pattern: 'selbstmord|suizid|suicídio|suicidio', topic: true },
  {
    name: 'a wish to die',
    pattern:
      '(?:quero|queria)\\s+(?:morrer|me\\s+matar)|tirar\\s+a\\s+minha\\s+vida|me\\s+matar|não\\s+quero\\s+(?:mais\\s+)?viver',
  },
  {
    name: 'a wish to die',
    pattern: '想自杀|想自殺|不想活|想死(?!你)|死にたい|自殺したい|消えてしまいたい|죽고\\s?싶|자살하고',
    anywhere: true,
  },
  { name: 'suicide', pattern: '自杀|自殺|자살', anywhere: true, topic: true },
  { name: 'a wish to die', pattern: 'أريد\\s+أن\\s+أموت|أنتحر|الانتحار|أقتل\\s+نفسي', anywhere: true },
];
