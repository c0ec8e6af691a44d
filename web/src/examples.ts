// Models for the sensitivity view: a change at the start of a chain, its effect at the end.
export const CASCADES: { title: string; name: string; text: string }[] = [
  {
    title: "Material price to revenue", name: "revenue.py", text: `def revenue(material=5.0, margin=20.0):
    cost = 10 * material + 50
    price = cost + margin
    volume = 3000 - 20 * price
    return price * volume
`,
  },
  {
    title: "Chip shortage", name: "shortage.py", text: `def revenue(shortage=5.0, price=800.0, share=0.1):
    chips = 1000 - 50 * shortage
    phones = share * chips
    return price * phones - 0.01 * phones ** 2
`,
  },
  {
    title: "Quality to followers", name: "followers.py", text: `import math

def followers(quality=8.0, follow_rate=0.05):
    shares = 10 * quality ** 2
    reach = 100 * math.log(shares + 1)
    return follow_rate * reach * (1 - reach / 10000)
`,
  },
];
