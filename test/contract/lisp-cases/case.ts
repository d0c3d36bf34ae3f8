/** A form and what it gives: values parted by " ; ", or "!" and the type of the condition; "*" is anything but an error. */
export type Case = readonly [form: string, gives: string];
