/** The part of the DOM needed to read a page; the project does not load a browser's types. */
export interface PageElement {
  readonly nodeName: string;
  readonly textContent: string | null;
  innerHTML: string;
  readonly parentElement: PageElement | null;
  readonly children: ArrayLike<PageElement> & Iterable<PageElement>;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  querySelectorAll(selector: string): Iterable<PageElement>;
  remove(): void;
}

/** A parsed page. */
export interface PageDocument {
  readonly title: string;
  readonly documentElement: PageElement | null;
  readonly body: PageElement | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  cloneNode(deep: boolean): PageDocument;
}
