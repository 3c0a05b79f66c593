print("Bench")
