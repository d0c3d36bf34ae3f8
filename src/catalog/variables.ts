/** The values of a URI template's variables, read off its text: those of `{?x}`, `{&x}`, `{;x}` and `{#x}` may be absent. */
export type TemplateVariables<T extends string> = string extends T
  ? Readonly<Record<string, string>>
  : { readonly [N in NamesIn<T, Firm>]: string } & { readonly [N in NamesIn<T, Loose>]?: string };

/** The names of a URI template's variables, read off its text. */
export type VariableName<T extends string> = string extends T ? string : NamesIn<T, Firm> | NamesIn<T, Loose>;

type Firm = 'firm';
type Loose = 'loose';

type NamesIn<T extends string, Kind> = T extends `${string}{${infer Expression}}${infer Rest}`
  ? Of<Expression, Kind> | NamesIn<Rest, Kind>
  : never;
type Of<Expression extends string, Kind> = Expression extends `${'?' | '&' | ';' | '#'}${infer List}`
  ? Kind extends Loose
    ? Each<List>
    : never
  : Kind extends Loose
    ? never
    : Each<Expression extends `${'+' | '.' | '/'}${infer List}` ? List : Expression>;
type Each<List extends string> = List extends `${infer First},${infer Rest}` ? Bare<First> | Each<Rest> : Bare<List>;
type Bare<Variable extends string> = Variable extends `${infer Name}*`
  ? Name
  : Variable extends `${infer Name}:${string}`
    ? Name
    : Variable;
