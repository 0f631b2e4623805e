/** Builds a value for each shape at its first use, and keeps it for as long as the shape exists. */
export function perShape<Shape extends object, Built>(
  build: (shape: Shape) => Built,
): (shape: Shape) => Built {
  const built = new WeakMap<Shape, Built>();
  return (shape) => {
    const known = built.get(shape);
    if (known !== undefined) return known;
    const made = build(shape);
    built.set(shape, made);
    return made;
  };
}
