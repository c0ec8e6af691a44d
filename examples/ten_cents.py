"""How did a 10-cent rise in the price of material cost $50,000?

    python examples/ten_cents.py
    chainrule sensitivity examples/ten_cents.py:revenue --at material=2 --sweep material=1:4

The model is a plain function: it does not know chainrule.
"""

PARTS = 10  # material per product, in kg
MARKUP = 5  # the sales department multiplies every dollar of cost


def revenue(material):
    cost = PARTS * material + 30
    price = MARKUP * cost
    volume = demand(price)
    return 50 * volume  # 50 dollars stay with us per product


def demand(price):
    """Customers: 200 fewer for every dollar."""
    return 80_000 - 200 * price


def main():
    from chainrule import sensitivity

    print("The model, asked at today's price of $2.00:\n")
    s = sensitivity(revenue, at={"material": 2.00})
    print(s)

    print("\nTen cents more:\n")
    print(s.what_if(material=+0.10))

    print("\nThe same story from the books, where only the changes were seen:\n")
    seen = sensitivity.from_changes(
        [("material", 0.10), ("cost", 1), ("price", 5), ("volume", -1000), ("revenue", -50_000)]
    )
    print(seen)

    link = s["material"].biggest_link
    print(f"\nThe link that did it: {link.name}, times {link.multiplier:g} ({link.target.where})")


if __name__ == "__main__":
    main()
